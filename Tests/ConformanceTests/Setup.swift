import Foundation
import Providers
import Synchronization

@testable import JobRunner
@testable import Sandbox

/// A generated world of one provider, and what its configuration says.
struct Setup {
    let folder: String
    let world: World
    let account: AccountConfiguration

    init(_ provider: String, switches: [String: String] = [:], wrongSecrets: Bool = false) throws {
        folder = NSTemporaryDirectory() + "tieout-conformance-" + String(UInt64.random(in: .min ... .max), radix: 36)
        var arguments = [
            "--seed", "11", "--transactions", "90", "--nights", "3", "--providers", provider, "--output", folder,
        ]
        if !switches.isEmpty {
            arguments += ["--switch", switches.map { "\(provider).\($0.key)=\($0.value)" }.joined(separator: ",")]
        }
        _ = try Generate.run(arguments[...])
        world = try required(Sandbox.Workspace(directory: folder).plan(), "a plan").world
        if wrongSecrets { try Self.spoilSecrets(folder) }
        if Catalogue.entry(provider)?.optionNames.contains("page_limit") == true { try Self.shortenPages(folder) }
        account = try Configuration.read(path: folder + "/tieout.json5", environment: [:]).accounts[0]
    }

    private static let known = Mutex<[String: SourceConfiguration]>([:])

    /// The provider's source as its sandbox configures it.
    static func configuration(of provider: String) throws -> SourceConfiguration {
        if let found = known.withLock({ $0[provider] }) { return found }
        let setup = try Setup(provider)
        defer { try? FileManager.default.removeItem(atPath: setup.folder) }
        known.withLock { $0[provider] = setup.account.sources[0] }
        return setup.account.sources[0]
    }

    /// Twenty rows a page, so that every list has several.
    private static func shortenPages(_ folder: String) throws {
        let path = folder + "/tieout.json5"
        var text = try String(contentsOfFile: path, encoding: .utf8)
        if text.contains("options: {") {
            text = text.replacing("options: {", with: "options: {page_limit: \"20\", ")
        } else {
            text = text.replacing(
                "environment: \"sandbox\",", with: "environment: \"sandbox\", options: {page_limit: \"20\"},")
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func spoilSecrets(_ folder: String) throws {
        let secrets = folder + "/secrets"
        let names = try FileManager.default.subpathsOfDirectory(atPath: secrets)
        for name in names where !name.hasSuffix(".csv") {
            let path = "\(secrets)/\(name)"
            guard let text = try? String(contentsOfFile: path, encoding: .utf8), !text.hasPrefix("-----BEGIN") else {
                continue
            }
            // The same shape, another key: the last letter or digit but one is turned.
            var bytes = Array(text.utf8)
            guard let place = bytes.lastIndex(where: { (48...57).contains($0) || (97...122).contains($0) }) else {
                continue
            }
            bytes[place] = bytes[place] == UInt8(ascii: "7") ? UInt8(ascii: "3") : UInt8(ascii: "7")
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }
    }
}
