package import Payments

/// How a client connects and what it tolerates. TLS is verified always: there is no switch for it.
package struct HTTPConfiguration: Sendable {
    /// PEM file of the only certificate authorities to trust; nil: those of the system.
    package var caFile: String?
    /// Until the connection, TLS included, stands.
    package var connectTimeout: Duration = .seconds(10)
    /// Fewer bytes a second than this for `lowSpeedTime` is a stall. Counted on the wire over the last five
    /// seconds, so that a stall after a fast start is noticed up to six seconds late. At least 1.
    package var lowSpeedLimit = 1
    /// Whole seconds.
    package var lowSpeedTime: Duration = .seconds(30)
    /// From the start of the transfer to its last byte. The wait for a free connection does not count.
    package var totalTimeout: Duration = .seconds(120)
    /// Bytes of a body after decompression.
    package var bodyCap = 64 << 20
    /// Bytes of all header lines of a response.
    package var headerCap = 128 << 10
    package var userAgent = "tieout"
    /// Most requests in flight to one server (scheme, host, port); the others wait their turn in order.
    package var maxConnectionsPerHost = 16
    /// Proxy URL. Without it none is used: the environment's `https_proxy` and its kin are ignored.
    package var proxy: String?
    /// `user:password` for the proxy.
    package var proxyCredentials: Secret?
    /// Permits `http:` URLs; for tests and loopback sandboxes.
    package var allowPlainHTTP = false
    /// Bytes of response buffers kept for reuse.
    package var pooledBytes = 32 << 20

    package init() {}
}
