import FoundationEssentials

/// A file that a test writes and removes.
enum TemporaryFile {
    static func write(_ text: String, ending: String) -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "tieout-\(UUID().uuidString)\(ending)").path
        _ = FileManager.default.createFile(atPath: path, contents: Data(text.utf8))
        return path
    }

    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
