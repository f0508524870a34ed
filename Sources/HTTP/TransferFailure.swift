import CCurl

/// Sorts libcurl's result codes into what the operator can do about them.
enum TransferFailure {
    static func kind(of code: CURLcode, _ easy: EasyHandle, _ configuration: HTTPConfiguration) -> HTTPError.Kind {
        // Zero until the connection, TLS included, stood and the request was about to go out.
        let connected = easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            let micros = easy.offset(CURLINFO_TOTAL_TIME_T)
            if micros / 1000 >= configuration.totalTimeout.wholeMilliseconds - 1 { return .timeout }
            return connected ? .stalled : .connect
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_PROXY:
            return .connect
        case CURLE_SSL_CONNECT_ERROR:
            return lostDuringHandshake(easy.explanation(code)) ? .connect : .tls
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            return .tls
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            return .cut
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            return connected ? .cut : .connect
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            return .garbled
        case CURLE_OUT_OF_MEMORY:
            // libcurl's own bound on one header line.
            return .tooLarge
        case CURLE_URL_MALFORMAT:
            return .invalid("URL")
        default:
            return connected ? .cut : .connect
        }
    }

    /// A peer that hangs up during the handshake is overloaded or restarting; a refusal carries OpenSSL's own code,
    /// `error:0A00042E:…`. libcurl has one result for both.
    private static func lostDuringHandshake(_ text: String) -> Bool {
        !text.contains("error:") || text.contains("unexpected eof")
    }
}
