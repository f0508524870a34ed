import FoundationEssentials
import Loading
import Testing

@testable import JobRunner

@Suite("The name under which a settlement file is corrected")
struct SettlementInputTests {
    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tieout-\(UUID().uuidString)").path
        for name in ["july", "august"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
            try Data("x".utf8).write(to: URL(filePath: "\(folder)/\(name)/report.csv"))
        }
    }

    private func account(_ paths: [String]) throws -> AccountConfiguration {
        let list = paths.map { "\"\($0)\"" }.joined(separator: ", ")
        let text = """
            {accounts: {acme: {settlements: {paths: [\(list)]}, \
            sources: {m: {provider: "meld", environment: "live", api_key: {env: "KEY"}}}}}}
            """
        return try Configuration.read(
            text: text, file: "t.json5", directory: "/etc/tieout", environment: ["KEY": "k"]
        ).accounts[0]
    }

    private func named(_ paths: [String], configured: [String] = []) throws -> [SettlementName] {
        try SettlementInput.named(
            paths, try account(configured.isEmpty ? ["/nowhere"] : configured), SettlementOptions(source: "m")
        ).map(\.name)
    }

    @Test("files of one base name below two inputs of the configuration have two names, with or without a last slash")
    func configured() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let two = try SettlementInput.configured(try account(["\(folder)/july", "\(folder)/august/report.csv"]))
        #expect(two.map(\.name) == [.known("july/report.csv"), .known("august/report.csv")])
        let one = try SettlementInput.configured(try account(["\(folder)/july/"]))
        #expect(one.map(\.name) == [.known("report.csv")])
        #expect(one[0].options.source == "m")
    }

    @Test("a file named outright has the name that it has in the configuration, else one that only its path speaks for")
    func outright() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/july/report.csv"
        #expect(try named([file], configured: [folder + "/july", folder + "/august"]) == [.known("july/report.csv")])
        #expect(try named([file], configured: [folder + "/august"]) == [.assumed("report.csv")])
        #expect(
            try named([file, "\(folder)/august"]) == [.assumed("july/report.csv"), .assumed("august/report.csv")])
        #expect(try named(["-"]) == [.none])
        #expect(try named(["-", file]) == [.none, .assumed("report.csv")])
    }
}
