import FoundationEssentials

/// The checkout that the tests run from.
package enum Checkout {
    /// The directory with `Package.swift`, looked for upward from this file.
    package static let root: String = {
        var directory = URL(filePath: #filePath).deletingLastPathComponent()
        while directory.path != "/" {
            if FileManager.default.fileExists(atPath: directory.appending(path: "Package.swift").path) { break }
            directory.deleteLastPathComponent()
        }
        return directory.path
    }()
}
