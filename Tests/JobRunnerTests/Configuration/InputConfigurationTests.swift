import Loading
import Payments
import Testing

@testable import JobRunner

@Suite("Inputs in the configuration")
struct InputConfigurationTests {
    private static let environment = ["KEY": "k", "SHOP": "host=shop dbname=shop password=hush"]

    private func read(_ inputs: String, source: String = "") throws(ConfigurationError) -> AccountConfiguration {
        let text = """
            {accounts: {acme: {\(inputs) sources: {m: {provider: "meld", environment: "live", api_key: {env: "KEY"}, \
            \(source)}}}}}
            """
        let configuration = try Configuration.read(
            text: text, file: "t.json5", directory: "/etc/tieout", environment: Self.environment)
        return configuration.accounts[0]
    }

    private func fault(_ inputs: String, source: String = "") -> String {
        do {
            _ = try read(inputs, source: source)
            return "no error"
        } catch {
            return error.description
        }
    }

    @Test("paths and queries stand side by side, or one query alone")
    func queries() throws {
        let account = try read(
            """
            orders: ["in", {query: "select 1;", connection: {env: "SHOP"}, complete: true}],
            webhooks: {query: "select 2", connection: {env: "SHOP"}, source: "m", watermark: "id", look_back: "2 days"},
            """)
        #expect(account.orders == ["/etc/tieout/in"])
        #expect(account.webhooks.isEmpty)
        let orders = try #require(account.orderInputs.queries.first)
        #expect(orders.text == "select 1" && orders.isComplete && orders.lookBack == 86_400)
        #expect(orders.name == "orders query 1")
        let hooks = try #require(account.webhookInputs.queries.first)
        #expect(hooks.source == "m" && hooks.watermark == "id" && hooks.lookBack == 172_800)
        #expect(hooks.connection.reveal().contains("password=hush"))
        #expect(!"\(hooks)".contains("hush"))
    }

    @Test("settlement files say whose they are and how they are written; an account with one source need not say whose")
    func settlements() throws {
        let account = try read(
            """
            settlements: ["in", {paths: ["/a", "b"], source: "m", decimal: ",", encoding: "windows-1252",
            columns: {net: "Betrag"}}],
            """)
        #expect(account.settlements.map(\.paths) == [["/etc/tieout/in"], ["/a", "/etc/tieout/b"]])
        #expect(account.settlements.map(\.options.source) == ["m", "m"])
        let options = account.settlements[1].options
        #expect(options.decimal == .comma && options.encoding == "windows-1252" && options.columns == ["net": "Betrag"])
        #expect(fault(#"settlements: [{path: "a", source: "n"}],"#).contains("'n' is no source here"))
        #expect(fault(#"settlements: [{source: "m"}],"#).contains("needs 'path' or 'paths'"))
        #expect(fault(#"settlements: [{path: "a", decimal: "x"}],"#).contains("decimal"))
    }

    @Test("a query without its connection, with a secret in clear or an unknown word is refused with its place")
    func refused() {
        #expect(
            fault(#"webhooks: [{query: "x"}],"#).contains("accounts.acme.webhooks.0: needs 'query' and 'connection'"))
        #expect(fault(#"webhooks: {query: "x", connection: "host=a"},"#).contains("a secret never stands"))
        #expect(
            fault(#"webhooks: {query: "x", connection: {env: "SHOP"}, complete: true},"#).contains(
                "webhooks.complete: is no setting here"))
        #expect(
            fault(#"orders: {query: "x", connection: {env: "SHOP"}, complete: true, watermark: "u"},"#).contains(
                "cannot stand beside complete"))
        #expect(fault("orders: [3],").contains("orders.0"))
    }

    @Test("a source names where payments' secrets are found, what it keeps, and that it gets no signatures")
    func source() throws {
        let plain = try read("").sources[0]
        #expect(plain.webhookSecretTable.isNone && !plain.retainsAll && !plain.unsignedCounts)
        let source = try read(
            "", source: #"webhook_secret_table: {file: "s.csv"}, retain: "full", webhook_signature: "none""#
        ).sources[0]
        #expect(source.retainsAll && source.unsignedCounts)
        guard case .file("/etc/tieout/s.csv") = source.webhookSecretTable else {
            Issue.record("no file")
            return
        }
        #expect(
            fault("", source: #"webhook_secret_table: {query: "select 1", connection: {env: "SHOP"}}"#).contains(
                "must ask for the references in $1"))
        #expect(fault("", source: #"webhook_secret_table: {}"#).contains("needs 'file', or 'query' and 'connection'"))
        #expect(fault("", source: #"retain: "all""#).contains("must be one of cut, full"))
    }
}

extension SecretTableConfiguration? {
    fileprivate var isNone: Bool {
        if case .none = self { return true }
        return false
    }
}
