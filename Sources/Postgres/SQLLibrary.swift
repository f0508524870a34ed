import Crypto
import FoundationEssentials
import Synchronization

/// The SQL texts under `root/SQL`, read once. A path is relative to the root: `SQL/links/refs.sql`.
package struct SQLLibrary: Sendable {
    /// The directory that contains `SQL`.
    package let root: String
    private let cache = Cache()

    package init(root: String) { self.root = root }

    /// The file's text. A missing file is a `.usage` error that names it.
    package func text(_ path: String) throws(PostgresError) -> String {
        if let known = cache.texts.withLock({ $0[path] }) { return known }
        let file = "\(root)/\(path)"
        guard let data = try? Data(contentsOf: URL(filePath: file)) else { throw .usage("cannot read \(file)") }
        guard let text = String(validating: data, as: UTF8.self) else { throw .usage("\(file) is not UTF-8") }
        cache.texts.withLock { $0[path] = text }
        return text
    }

    /// SHA-256 of the file's bytes: the name under which a run remembers it.
    package func digest(_ path: String) throws(PostgresError) -> [UInt8] { Digest.sha256(Array(try text(path).utf8)) }

    private final class Cache: Sendable {
        let texts = Mutex<[String: String]>([:])
    }
}
