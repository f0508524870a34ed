import Compression

/// Content coding of answers and files.
enum Coding {
    /// Bodies below this travel in one packet anyway.
    private static let worthwhile = 1_024

    /// Compresses the body where the client accepts gzip.
    static func compress(_ response: inout APIResponse, accepted: String) {
        guard response.body.count >= worthwhile, accepted.lowercased().contains("gzip") else { return }
        response.body = Gzip.compress(response.body, level: 1)
        response.headers.append(("Content-Encoding", "gzip"))
        response.headers.append(("Vary", "Accept-Encoding"))
    }
}
