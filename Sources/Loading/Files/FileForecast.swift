package import Payments
package import Postgres

/// Whether a load would take a file in; reads the file and changes nothing.
package struct FileForecast: Sendable, Hashable {
    package let path: String
    /// Bytes on disk.
    package let size: Int
    /// The same bytes were loaded before.
    package let isKnown: Bool

    /// The files behind `paths` of one feed, and of `source` where one is named. Throws `LoadFault` where one cannot be read, `PostgresError`.
    package static func all(
        _ paths: [String], feed: Feed, source: String? = nil, account: Int64, on connection: Connection
    ) throws -> [FileForecast] {
        // Standard input can be read once: that is the load's to do.
        try paths.filter { $0 != "-" }.map { path in
            let file = try InputFile(path: path)
            return FileForecast(
                path: path, size: file.size,
                isKnown: try LoadedFiles.knows(file, feed: feed, account: account, source: source, on: connection))
        }
    }

    /// The capture files behind files and folders.
    package static func captures(_ paths: [String]) throws(LoadFault) -> [String] {
        try InputFile.expand(paths, endings: WebhookHistoryLoader.endings)
    }
}
