import Foundation
import Loading

/// One settlement file that a job reads: how it is written, and the name under which it is corrected.
struct SettlementInput {
    let path: String
    let name: SettlementName
    let options: SettlementOptions

    /// The files of the configuration for one source; of all sources where none is named.
    static func configured(_ account: AccountConfiguration, source: String? = nil) throws -> [SettlementInput] {
        try account.settlements.filter { source == nil || $0.options.source == source }.flatMap { each in
            let root = root(of: inputs(account, each.options.source))
            return try each.paths.flatMap(LoadStep.bookFiles).map { path in
                SettlementInput(
                    path: path, name: below(root, path).map { .known($0) } ?? .none, options: each.options)
            }
        }
    }

    /// Files named outright. One that lies where the configuration's do has the name that it has there.
    static func named(
        _ paths: [String], _ account: AccountConfiguration, _ options: SettlementOptions
    ) throws -> [SettlementInput] {
        let configured = inputs(account, options.source)
        let home = root(of: configured)
        let root = root(of: paths.filter { $0 != "-" })
        return try paths.flatMap(LoadStep.bookFiles).map { path in
            let isConfigured = configured.contains { parts(path).starts(with: parts($0)) }
            let name: SettlementName? =
                isConfigured ? below(home, path).map { .known($0) } : below(root, path).map { .assumed($0) }
            return SettlementInput(path: path, name: name ?? .none, options: options)
        }
    }

    private static func inputs(_ account: AccountConfiguration, _ source: String) -> [String] {
        account.settlements.filter { $0.options.source == source }.flatMap(\.paths)
    }

    /// The folder that all of `inputs` share: that of a file, a folder itself.
    static func root(of inputs: [String]) -> [String] {
        let folders = inputs.map { path in
            var isFolder: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            let parts = parts(path)
            return isThere && isFolder.boolValue ? parts : parts.dropLast()
        }
        guard let first = folders.first else { return [] }
        return folders.dropFirst().reduce(first) { shared, folder in
            zip(shared, folder).prefix { $0 == $1 }.map(\.0)
        }
    }

    /// Nil: standard input, or a file elsewhere.
    private static func below(_ root: [String], _ path: String) -> String? {
        if path == "-" { return nil }
        let parts = parts(path)
        guard parts.count > root.count, parts.starts(with: root) else { return nil }
        return parts.dropFirst(root.count).joined(separator: "/")
    }

    private static func parts(_ path: String) -> [String] {
        URL(filePath: path).standardizedFileURL.path.split(separator: "/").map(String.init)
    }
}
