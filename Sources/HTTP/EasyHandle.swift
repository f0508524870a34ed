import CCurl
import Payments

/// One reusable libcurl transfer handle. Belongs to the engine's thread.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    /// libcurl writes its own words about a failure here; it must outlive the transfer.
    private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init?() {
        guard let pointer = curl_easy_init() else {
            message.deallocate()
            return nil
        }
        self.pointer = pointer
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(pointer)
        curl_slist_free_all(headers)
        message.deallocate()
    }

    /// Back to the state of a new handle, without the last request's headers.
    func reset() {
        curl_easy_reset(pointer)
        curl_slist_free_all(headers)
        headers = nil
        message.pointee = 0
    }

    /// libcurl's words about the last failure, else the fixed text of its code. They can name host and port.
    func explanation(_ code: CURLcode) -> String {
        let text = String(cString: message)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    func set(_ option: CURLoption, _ value: Int) { tieout_set_long(pointer, option, value) }
    func set(_ option: CURLoption, _ value: String?) { tieout_set_text(pointer, option, value) }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        return tieout_get_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    func offset(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        return tieout_get_offset(pointer, info, &value) == CURLE_OK ? Int(value) : 0
    }

    /// What holds for every request of a client.
    func configure(_ configuration: HTTPConfiguration) {
        set(CURLOPT_NOSIGNAL, 1)
        // A name look-up that hangs must not hold up the thread when its transfer is cancelled.
        set(CURLOPT_QUICK_EXIT, 1)
        tieout_set_text(pointer, CURLOPT_ERRORBUFFER, message)
        set(CURLOPT_PROTOCOLS_STR, configuration.allowPlainHTTP ? "http,https" : "https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        // Decompression is ours (GzipInflater), so libcurl must leave the body alone.
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        set(CURLOPT_USERAGENT, configuration.userAgent)
        set(CURLOPT_TCP_KEEPALIVE, 1)

        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if let caFile = configuration.caFile {
            set(CURLOPT_CAINFO, caFile)
            // Without this the system's directory of authorities stays trusted beside the file.
            set(CURLOPT_CAPATH, nil)
            set(CURLOPT_PROXY_CAINFO, caFile)
            set(CURLOPT_PROXY_CAPATH, nil)
        }

        // An empty text keeps libcurl from reading proxies out of the environment.
        set(CURLOPT_PROXY, configuration.proxy ?? "")
        set(CURLOPT_NOPROXY, "")
        if let credentials = configuration.proxyCredentials { set(CURLOPT_PROXYUSERPWD, credentials.reveal()) }

        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, configuration.connectTimeout.wholeMilliseconds))
        set(CURLOPT_TIMEOUT_MS, max(1, configuration.totalTimeout.wholeMilliseconds))
        set(CURLOPT_LOW_SPEED_LIMIT, max(1, configuration.lowSpeedLimit))
        set(CURLOPT_LOW_SPEED_TIME, max(1, (configuration.lowSpeedTime.wholeMilliseconds + 999) / 1000))
    }

    /// What this request asks for.
    func apply(_ request: HTTPRequest) {
        set(CURLOPT_URL, request.url)
        if let body = request.body {
            tieout_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            body.withUnsafeBytes { bytes in
                // libcurl copies; an empty body still needs an address.
                _ = tieout_set_const_pointer(
                    pointer, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(message))
            }
            addHeader("Expect:")  // no 100-continue: bodies here are small
            if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
                addHeader("Content-Type:")
            }
        } else {
            set(CURLOPT_HTTPGET, 1)
        }
        if request.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if request.method != "GET" || request.body != nil {
            set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        addHeader("Accept-Encoding", "gzip")
        for (name, value) in request.headers { addHeader(name, value) }
        for (name, value) in request.secretHeaders { addHeader(name, value.reveal()) }
        tieout_set_list(pointer, CURLOPT_HTTPHEADER, headers)
    }

    private func addHeader(_ name: String, _ value: String) {
        // "Name:" would remove a header; "Name;" sends it empty.
        addHeader(value.isEmpty ? "\(name);" : "\(name): \(value)")
    }

    private func addHeader(_ line: String) { headers = curl_slist_append(headers, line) ?? headers }
}
