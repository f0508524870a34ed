/// The name under which a settlement file is corrected: a later file of this name and source supersedes what it lists no
/// longer. Two files of one base name in two folders are two files, as in one folder a month.
package struct SettlementName: Sendable, Hashable {
    /// Nil: nothing tells which file this is a version of, as with standard input.
    let text: String?
    /// False where only the base name speaks for it: then it is another version only of what it shares a record with.
    let isCertain: Bool

    /// The path of a file below the input that the configuration names.
    package static func known(_ path: String) -> SettlementName { SettlementName(text: path, isCertain: true) }

    /// A file from elsewhere: `path` is below the folder of what was named with it.
    package static func assumed(_ path: String) -> SettlementName { SettlementName(text: path, isCertain: false) }

    /// A file without a name: nothing that came before is gone because it is not in there.
    package static let none = SettlementName(text: nil, isCertain: false)
}
