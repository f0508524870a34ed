import Foundation
import Payments

/// Where a secret is kept: the configuration names the place, never the text.
enum SecretReference: Sendable, Hashable {
    case environment(String)
    case file(String)

    init(_ tree: ConfigurationTree) throws(ConfigurationError) {
        if case .string = tree.value {
            throw tree.fault("a secret never stands in the configuration: write {env: \"NAME\"} or {file: \"/path\"}")
        }
        let members = try tree.object(known: ["env", "file"])
        switch (members["env"], members["file"]) {
        case (let name?, nil): self = .environment(try name.string())
        case (nil, let path?): self = .file(try path.string())
        default: throw tree.fault("needs exactly one of env and file")
        }
    }

    /// Reads the secret. Relative files are relative to the configuration's folder. One trailing line end is cut.
    func resolve(_ environment: [String: String], directory: String, at tree: ConfigurationTree)
        throws(ConfigurationError) -> Secret
    {
        switch self {
        case .environment(let name):
            guard let text = environment[name], !text.isEmpty else {
                throw tree.fault("the environment variable \(name) is not set")
            }
            return Secret(text)
        case .file(let path):
            let full = path.hasPrefix("/") ? path : directory + "/" + path
            guard let data = FileManager.default.contents(atPath: full),
                var text = String(data: data, encoding: .utf8)
            else {
                throw tree.fault("the file \(path) cannot be read as text")
            }
            if text.hasSuffix("\n") { text.removeLast() }
            if text.hasSuffix("\r") { text.removeLast() }
            if text.isEmpty { throw tree.fault("the file \(path) is empty") }
            return Secret(text)
        }
    }
}
