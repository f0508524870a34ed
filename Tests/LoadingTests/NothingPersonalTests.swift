import Compression
import FoundationEssentials
import HTTP
import Loading
import Payments
import Postgres
import Providers
import Synchronization
import TestSupport
import Testing

@testable import Loading

/// Every secret and personal member that must never be stored is filled with a marker, in rows and events, good and
/// bad; then every text and byte column of every table is searched.
@Suite("Nothing secret or personal is stored")
struct NothingPersonalTests {
    static let mark = "MARKER"

    private static func marked(_ names: [String]) -> String {
        names.map { #""\#($0)":"MARKER-\#($0)""# }.joined(separator: ",")
    }

    /// Members of a transaction; `customer` in the documented shape.
    private static let members = """
        "customer":{"id":"C1","externalId":"user-1",\(marked(["email", "phone", "address", "dateOfBirth", "ssn"])),\
        "name":{\(marked(["firstName", "lastName"]))},"addresses":[{"type":"BILLING","addressDetails":{\
        \(marked(["city", "lineOne", "lineTwo", "postalCode", "region", "firstName"]))}}]},\
        "address":{\(marked(["lineOne"]))},\
        "serviceProviderDetails":{"status":"paid",\(marked(["card", "iban"])),"details":{"status":"x",\(marked(["payer"]))}},\
        "multiFactorAuthorizationStatus":[{"submitted":true,"successful":false,\(marked(["url"]))}],\
        "paymentMethodResponseDetails":{\(marked(["sessionToken", "presentation"]))},\
        "receivingBankInformation":{\(marked(["accountNumber"]))},\
        "payload":{\(marked(["clientIpAddress", "redirectUrl"]))},\
        \(marked(["token", "widgetUrl", "serviceProviderWidgetUrl", "redirectUrl", "secret", "clientIpAddress"]))
        """

    /// The same members in shapes nobody documented.
    private static let odd = [
        #""customer":"MARKER""#, #""customer":["MARKER",{"name":"MARKER","id":"C"}]"#,
        #""customer":{"id":"C","na\u006de":"MARKER"},"customer":{"email":"MARKER"}"#,
        #""serviceProviderDetails":"MARKER""#, #""serviceProviderDetails":["MARKER",{"card":"MARKER"}]"#,
        #""multiFactorAuthorizationStatus":"MARKER""#, #""multiFactorAuthorizationStatus":["MARKER"]"#,
        #""multiFactorAuthorizationStatus":{"url":"MARKER"}"#, #""cryptoDetails":{"totalFee":{}},"token":["MARKER"]"#,
        #""\u0074oken":"MARKER","address":"MARKER""#, #""address":["MARKER"],"status":{}"#,
    ]

    @Test("pages and events full of markers leave none in any column, pack, quarantine row or log line")
    func nowhere() async throws {
        let bench = try PollingBench()
        let logged = Mutex<[String]>([])
        let context = LoadContext(
            account: 1, run: 1, clock: LedgerClock(fixed: PollerTests.night), fence: Fence(account: 1, number: nil),
            sql: SQLLibrary(root: Checkout.root), log: { line in logged.withLock { $0.append("\(line)") } })
        let rows = ([Self.members] + Self.odd).enumerated().map { place, members in
            FakeMeld.Row.purchase(
                "W\(place)", PollerTests.night.adding(seconds: -7200 - Int64(place)), more: "," + members)
        }
        bench.meld.set {
            $0.rows =
                rows + [
                    .purchase("W99", PollerTests.night.adding(seconds: -9000), amount: "{}", more: "," + Self.members)
                ]
            $0.extraElements = [#""MARKER""#, #"["MARKER"]"#]
        }
        let poller = Poller(
            source: try bench.handle(), context: context, connection: bench.connection, machine: .system(),
            fetch: bench.meld.answer)
        let outcome = try await poller.poll(stop: StopFlag())
        #expect(outcome.counts.new >= 6 && outcome.counts.quarantined >= 5)

        try loadEvents(bench.connection, context)
        try expectNoMark(bench.connection)
        #expect(!logged.withLock { $0.joined().contains(Self.mark) })
        // Twin: what is not listed does stay, so that the search would find it.
        #expect(try bench.count("webhook_event") >= 4)
        try bench.connection.execute(
            "update tieout.transaction set wallet_tag = 'a MARKER' where transaction_id = 'W0'")
        #expect(try Self.places(bench.connection) == ["transaction.wallet_tag"])
    }

    private func loadEvents(_ connection: Connection, _ context: LoadContext) throws {
        func body(_ id: String, _ type: String, _ payload: String) -> String {
            #"{"eventType":"\#(type)","eventId":"\#(id)","timestamp":"\#(Capture.time(1))","payload":{\#(payload)}}"#
        }
        let status = #""paymentTransactionId":"W0","paymentTransactionStatus":"SETTLED""#
        let bodies = [
            body("e1", "TRANSACTION_CRYPTO_COMPLETE", status + "," + Self.members),
            body(
                "e2", "CUSTOMER_KYC_STATUS_CHANGE",
                #""customerId":"C","status":"APPROVED",\#(Self.marked(["passport", "tax", "country"])),"kycRecipient":{"serviceProvider":"MARKER"}"#
            ),
            body(
                "e3", "BANK_LINKING_ACCOUNTS_ADDED", #""accounts":[{"mask":"MARKER"}],\#(Self.marked(["institution"]))"#
            ),
            body(
                "e4", "TRANSACTION_CRYPTO_COMPLETE",
                status + #","serviceProviderDetails":"MARKER","\u0065mail":"MARKER""#),
            body("e5", "TRANSACTION_CRYPTO_COMPLETE", #""paymentTransactionId":{},\#(Self.members)"#),
            body("e6", "TRANSACTION_CRYPTO_COMPLETE", status + #","email":"MARKER","email":"MARKER""#),
            #"["MARKER"]"#, "MARKER",
        ]
        let lines =
            bodies.enumerated().map { Capture.line($0.element, received: $0.offset) } + [
                #"{"receivedAt":"MARKER","rawBody":"MARKER"}"#, "MARKER",
                #"{"receivedAt":"\#(Capture.time(50))","url":"https://MARKER.example/","rawBody":"{}"}"#,
            ]
        let folder = FileManager.default.temporaryDirectory.appending(path: "tieout-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/hooks.jsonl"
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: path))
        _ = try WebhookHistoryLoader(context, connection, sources: [try Capture.source()]).load(paths: [path])
    }

    private func expectNoMark(_ connection: Connection) throws {
        #expect(try Self.places(connection).isEmpty)
        var packs = 0
        for row in try connection.query("select body from tieout.evidence") {
            packs += 1
            let text = String(decoding: try Zstd.decompress(try row.bytes("body"), limit: 1 << 24), as: UTF8.self)
            #expect(!text.contains(Self.mark))
        }
        #expect(packs >= 2)
    }

    /// Columns of any table that hold the marker as text, or as bytes.
    private static func places(_ connection: Connection) throws -> [String] {
        let columns = try connection.query(
            "select table_name::text as t, column_name::text as c, data_type::text as d from information_schema.columns "
                + "join information_schema.tables using (table_schema, table_name) where table_schema = 'tieout' "
                + "and table_type = 'BASE TABLE' and table_name !~ '_[0-9]{4}_[0-9]{2}$' order by 1, 2")
        var found: [String] = []
        for column in columns {
            let (table, name) = (try column.text("t"), try column.text("c"))
            let isBytes = try column.text("d") == "bytea"
            let test =
                isBytes
                ? "position('\(mark)'::bytea in \"\(name)\") > 0" : "\"\(name)\"::text like '%\(mark)%'"
            let count = try connection.query("select count(*) from tieout.\"\(table)\" where \(test)").only().int(0)
            if count > 0 { found.append("\(table).\(name)") }
        }
        return found
    }
}
