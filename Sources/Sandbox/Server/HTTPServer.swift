import CMicroHTTPD
import Glibc
import Synchronization

/// Puts an API on a loopback port over TLS, one thread per connection: a stall stays local.
package final class HTTPServer {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// What every connection needs; lives as long as the daemon.
    final class Service: Sendable {
        let api: SimulatedAPI
        /// Milliseconds that every answer takes besides its own work.
        let pace: Int
        /// Bodies are compressed where the client accepts it.
        let compresses: Bool
        private let ending = Atomic<Bool>(false)

        init(api: SimulatedAPI, pace: Int, compresses: Bool) {
            self.api = api
            self.pace = pace
            self.compresses = compresses
        }

        /// Whoever keeps a client waiting gives up.
        var isEnding: Bool { ending.load(ordering: .relaxed) }
        func end() { ending.store(true, ordering: .relaxed) }
    }

    private let daemon: OpaquePointer
    private let service: Unmanaged<Service>
    package let port: Int

    /// `port` 0 takes any free one.
    package init(
        api: SimulatedAPI, certificates: Certificates, port: Int, pace: Int = 0, compresses: Bool = true
    ) throws {
        let held = Unmanaged.passRetained(Service(api: api, pace: pace, compresses: compresses))
        guard let started = Self.start(held, certificates: certificates, port: port) else {
            held.release()
            throw Failure(description: "port \(port) cannot be opened on loopback")
        }
        daemon = started
        service = held
        let bound = MHD_daemonPort(started)
        self.port = bound == 0 ? port : bound
    }

    private static func start(
        _ service: Unmanaged<Service>, certificates: Certificates, port: Int
    ) -> OpaquePointer? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(truncatingIfNeeded: port)).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let flags = [MHD_USE_TLS, MHD_USE_INTERNAL_POLLING_THREAD, MHD_USE_THREAD_PER_CONNECTION]
        let key = Array(certificates.key.utf8CString)
        let certificate = Array(certificates.certificate.utf8CString)
        return withUnsafeBytes(of: &address) { address in
            key.withUnsafeBytes { key in
                certificate.withUnsafeBytes { certificate in
                    var options = [
                        pointer(MHD_OPTION.SOCK_ADDR, address), pointer(MHD_OPTION.HTTPS_MEM_KEY, key),
                        pointer(MHD_OPTION.HTTPS_MEM_CERT, certificate),
                        MHD_OptionItem(option: MHD_OPTION.CONNECTION_TIMEOUT, value: 120, ptr_value: nil),
                        Exchange.targetOption, Exchange.completedOption,
                        MHD_OptionItem(option: MHD_OPTION.END, value: 0, ptr_value: nil),
                    ]
                    return options.withUnsafeMutableBytes { options in
                        let place = Int(bitPattern: options.baseAddress)
                        return withVaList([MHD_OPTION.ARRAY.rawValue, place, MHD_OPTION.END.rawValue]) {
                            MHD_start_daemon_va(
                                flags.reduce(0) { $0 | UInt32($1.rawValue) }, UInt16(truncatingIfNeeded: port), nil,
                                nil, Exchange.handle, service.toOpaque(), $0)
                        }
                    }
                }
            }
        }
    }

    private static func pointer(_ name: MHD_OPTION, _ bytes: UnsafeRawBufferPointer) -> MHD_OptionItem {
        MHD_OptionItem(option: name, value: 0, ptr_value: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    /// Waits for what is in progress and closes the port.
    package func stop() {
        service.takeUnretainedValue().end()
        MHD_stop_daemon(daemon)
        service.release()
    }
}
