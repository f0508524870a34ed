import Payments
import Testing

@testable import JobRunner

@Suite("Configuration")
struct ConfigurationTests {
    private static let whole = """
        {
          // Comments are allowed.
          reports: "out",
          accounts: {
            acme: {
              zone: "Europe/Vilnius",
              cut_off: "16:30",
              orders: ["inbox/orders", "/data/orders"],
              sources: {
                "meld-live": {
                  provider: "meld", environment: "live",
                  api_key: {env: "MELD_KEY"},
                  webhook_secrets: [{env: "MELD_SECRET"}],
                  look_back: "3 days",
                },
              },
              terms: [{payment_method: "ACH", amount: 5, unit: "business_days", calendars: "US"}],
              parameters: {duplicate_charge: {window: "48 hours"}},
            },
          },
        }
        """
    private static let environment = ["MELD_KEY": "id:secret-key", "MELD_SECRET": "hook-secret"]

    private func read(_ text: String) throws(ConfigurationError) -> Configuration {
        try Configuration.read(
            text: text, file: "t.json5", directory: "/etc/tieout", environment: Self.environment)
    }

    /// The message of the error that a text must raise.
    private func fault(_ text: String) -> String {
        do {
            _ = try read(text)
            return "no error"
        } catch {
            return error.description
        }
    }

    @Test("a whole file is read, paths are relative to it")
    func wholeFile() throws {
        let configuration = try read(Self.whole)
        #expect(configuration.reports == "/etc/tieout/out")
        let account = try #require(configuration.accounts.first)
        #expect(account.id == 1)
        #expect(account.cutOffSeconds == 16 * 3600 + 30 * 60)
        #expect(account.orders == ["/etc/tieout/inbox/orders", "/data/orders"])
        #expect(account.parameters == ["duplicate_charge": ["window": "48 hours"]])
        let source = try #require(account.sources.first)
        #expect(source.lookBackSeconds == 3 * 86_400)
        #expect(source.apiKey.reveal() == "id:secret-key")
        #expect(account.terms.first?.calendars == "US")
    }

    @Test("a misspelt setting is refused with its place and a suggestion, never taken for the default")
    func unknownKey() {
        let text = Self.whole.replacing("look_back", with: "lookback")
        let message = fault(text)
        #expect(message.contains("accounts.acme.sources.meld-live.lookback"))
        #expect(message.contains("did you mean 'look_back'?"))
    }

    @Test("a secret that stands in the file is refused, and not repeated")
    func secretInFile() {
        let message = fault(Self.whole.replacing("{env: \"MELD_KEY\"}", with: "\"id:plain-secret\""))
        #expect(message.contains("accounts.acme.sources.meld-live.api_key"))
        #expect(!message.contains("plain-secret"))
    }

    @Test("a secret whose place is empty is named by its place")
    func missingSecret() {
        #expect(fault(Self.whole.replacing("MELD_SECRET", with: "NOT_SET")).contains("NOT_SET is not set"))
        let file = Self.whole.replacing("{env: \"MELD_KEY\"}", with: "{file: \"/does/not/exist\"}")
        #expect(fault(file).contains("/does/not/exist cannot be read"))
    }

    @Test("no dump of a configuration shows a secret")
    func masked() throws {
        var text = ""
        dump(try read(Self.whole), to: &text)
        #expect(text.contains("<secret>"))
        #expect(!text.contains("secret-key") && !text.contains("hook-secret"))
    }

    @Test(
        "a syntax error names line and column",
        arguments: [
            ("{a: 1,\n b 2}", "line 2, column 4", "':'"), ("{a: 1", "line 1, column 6", "never ends"),
            ("{a: \"x\n}", "line 1, column 5", "never ends"), ("{\n/* x", "line 2, column 1", "comment"),
            ("{a: [1,, 2]}", "line 1, column 8", "a value"), ("", "line 1, column 1", "ends"),
            ("{a: 1} x", "line 1, column 8", "after the end"),
        ])
    func syntaxError(text: String, place: String, part: String) {
        let message = fault(text)
        #expect(message.contains(place) && message.contains(part), "\(message)")
    }

    @Test(
        "values that make no sense are refused with what is expected",
        arguments: [
            ("zone: \"Europe/Vilnius\"", "zone: \"Europe/Vilna\"", "IANA"), ("\"16:30\"", "\"25:00\"", "time of day"),
            ("\"3 days\"", "\"3 dyas\"", "time span"), ("amount: 5", "amount: -5", "whole number"),
            ("business_days", "weeks", "business_days"),
            ("environment: \"live\"", "environment: \"prod\"", "live, sandbox"),
            ("\"meld-live\"", "\"meld/live\"", "a name has"),
        ])
    func senseless(part: String, replacement: String, expected: String) {
        let message = fault(Self.whole.replacing(part, with: replacement))
        #expect(message.contains(expected), "\(message)")
    }

    @Test("several accounts need ids of their own")
    func severalAccounts() {
        let one = "{provider: \"meld\", environment: \"live\", api_key: {env: \"MELD_KEY\"}}"
        let noIDs = "{accounts: {a: {sources: {s: \(one)}}, b: {sources: {s: \(one)}}}}"
        #expect(fault(noIDs).contains("needs an 'id'"))
        let same = "{accounts: {a: {id: 7, sources: {s: \(one)}}, b: {id: 7, sources: {s: \(one)}}}}"
        #expect(fault(same).contains("same id 7"))
        let good = "{accounts: {a: {id: 7, sources: {s: \(one)}}, b: {id: 8, sources: {s: \(one)}}}}"
        #expect(fault(good) == "no error")
    }

    @Test("a job names its steps in their order")
    func jobs() throws {
        let job = try JobDefinition.read(text: "{steps: [\"load\", \"poll\", \"report\"]}", name: "j", file: "j.json5")
        #expect(job.steps == [.load, .poll, .report])
        #expect(throws: ConfigurationError.self) {
            try JobDefinition.read(text: "{steps: [\"report\", \"load\"]}", name: "j", file: "j.json5")
        }
        #expect(throws: ConfigurationError.self) {
            try JobDefinition.read(text: "{steps: [\"load\", \"load\"]}", name: "j", file: "j.json5")
        }
    }
}
