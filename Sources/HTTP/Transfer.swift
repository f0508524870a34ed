import CCurl

/// One request on its way. Made by the caller, then owned by the engine's thread alone.
/// `@unchecked`: it crosses threads once, through the engine's queue.
final class Transfer: @unchecked Sendable {
    typealias Answer = Result<HTTPResponse, HTTPError>

    let id: Int
    let request: HTTPRequest
    /// Scheme, host and port: whose connections it takes.
    let authority: String
    private let continuation: CheckedContinuation<Answer, Never>
    private let configuration: HTTPConfiguration
    private var headers = HTTPHeaders()
    private var headerBytes = 0
    private(set) var buffer: BodyBuffer?
    /// Why a callback broke the transfer off.
    private var refusal: HTTPError.Kind?
    private(set) var easy: EasyHandle?
    private var hasBody = false
    private var inflater: GzipInflater?

    init(
        id: Int, request: HTTPRequest, authority: String, configuration: HTTPConfiguration,
        continuation: CheckedContinuation<Answer, Never>
    ) {
        self.id = id
        self.request = request
        self.authority = authority
        self.configuration = configuration
        self.continuation = continuation
    }

    func prepare(_ easy: EasyHandle, buffer: BodyBuffer) {
        self.easy = easy
        self.buffer = buffer
        easy.configure(configuration)
        easy.apply(request)
        let context = Unmanaged.passUnretained(self).toOpaque()
        tieout_set_callback(easy.pointer, CURLOPT_WRITEFUNCTION, receiveBody)
        tieout_set_pointer(easy.pointer, CURLOPT_WRITEDATA, context)
        tieout_set_callback(easy.pointer, CURLOPT_HEADERFUNCTION, receiveHeader)
        tieout_set_pointer(easy.pointer, CURLOPT_HEADERDATA, context)
    }

    /// Bytes of the body as they come over the wire. False breaks the transfer off.
    func receive(_ data: UnsafeRawBufferPointer) -> Bool {
        guard let buffer else { return false }
        if !hasBody {
            hasBody = true
            switch headers["content-encoding"]?.lowercased() ?? "identity" {
            case "identity", "": break
            case "gzip", "x-gzip":
                inflater = GzipInflater()
                if inflater == nil { refusal = .garbled }
            default: refusal = .garbled  // a form nobody asked for
            }
        }
        guard refusal == nil else { return false }
        if let inflater {
            switch inflater.inflate(data, into: buffer, cap: configuration.bodyCap) {
            case .more: break
            case .damaged: refusal = .cut
            case .beyondCap: refusal = .tooLarge
            }
        } else if buffer.count + data.count > configuration.bodyCap {
            refusal = .tooLarge
        } else {
            buffer.append(data)
        }
        return refusal == nil
    }

    /// One header line. False breaks the transfer off.
    func receive(headerLine data: UnsafeRawBufferPointer) -> Bool {
        headerBytes += data.count
        guard headerBytes <= configuration.headerCap else {
            refusal = .tooLarge
            return false
        }
        let line = String(decoding: data, as: UTF8.self)
        if line.hasPrefix("HTTP/") {  // also after an interim 1xx answer, whose headers do not count
            headers.removeAll()
        } else if let colon = line.firstIndex(of: ":") {
            headers.append(String(line[..<colon]), line[line.index(after: colon)...].trimmed)
        }
        return true
    }

    /// Takes what the handle knows, for the engine to hand back later with `resume`.
    func outcome(_ code: CURLcode, pool: BufferPool) -> Answer {
        guard let easy, let buffer else { return .failure(HTTPError(.closed, request)) }
        self.buffer = nil
        let isWhole = inflater?.isComplete ?? true
        inflater = nil
        guard code == CURLE_OK, isWhole else {
            pool.give(buffer)
            let kind = refusal ?? (code == CURLE_OK ? .cut : nil) ?? TransferFailure.kind(of: code, easy, configuration)
            // Only these two texts speak of the connection alone; others could repeat what the server sent.
            let speaks = kind == .tls || kind == .connect
            return .failure(HTTPError(kind, request, detail: speaks ? easy.explanation(code) : nil))
        }
        return .success(
            HTTPResponse(
                status: easy.long(CURLINFO_RESPONSE_CODE), headers: headers, body: HTTPBody(buffer, pool: pool),
                wireBytes: easy.offset(CURLINFO_SIZE_DOWNLOAD_T),
                reusedConnection: easy.long(CURLINFO_NUM_CONNECTS) == 0))
    }

    /// Ends it without a response.
    func fail(_ kind: HTTPError.Kind, pool: BufferPool) {
        if let buffer { pool.give(buffer) }
        buffer = nil
        resume(.failure(HTTPError(kind, request)))
    }

    func resume(_ answer: Answer) { continuation.resume(returning: answer) }

    /// The handle is free for another transfer.
    func releaseHandle() -> EasyHandle? {
        defer { easy = nil }
        return easy
    }
}

// libcurl calls these from the engine's thread. They stand at file scope, where nothing makes them inherit an actor: a
// closure written in an isolated place compiles clean and dies on its first call from a foreign thread.

/// Takes a piece of the body; anything but `size * count` as the result breaks the transfer off.
func receiveBody(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
    return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().receive(bytes) ? bytes.count : 0
}

/// Takes one whole header line.
func receiveHeader(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
    return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().receive(headerLine: bytes) ? bytes.count : 0
}
