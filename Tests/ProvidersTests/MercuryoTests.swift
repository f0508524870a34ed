import Foundation
import HTTP
import JSON
import Payments
import Testing

@testable import Providers

/// Elements as the provider's documents show them.
enum MercuryoSample {
    static let bought =
        #"{"mobile_pay":{"id":"0f6f5aaa12c780001","transaction_id":"0f6f5aaa17cb60002","widget_id":"00000000-1111-4222-8333-444444444444","merchant_transaction_id":"036fecc9-0000-4875-8d6f-000000000001","fiat_currency":"EUR","fiat_amount":"100.00","currency":"USDC","amount":"104.512300","status":"paid","created_at":"2026-07-31 12:00:05","updated_at":"2026-07-31 12:00:21","payment_method":"apple","card_country":"fr"},"withdraw":{"id":"0f6f5ab8ed8670003","transaction_id":"0f6f5aaa17cb60002","widget_id":"00000000-1111-4222-8333-444444444444","merchant_transaction_id":"036fecc9-0000-4875-8d6f-000000000001","hash":"0xaa00000000000000000000000000000000000000000000000000000000000001","url":"https://explorer.example.com/tx/0xaa00","address":"0x51FB8001311111111111111212111111111111AA","currency":"USDC","amount":"104.512300","status":"completed","created_at":"2026-07-31 12:00:20","updated_at":"2026-07-31 12:03:02"}}"#
    static let refused =
        #"{"mobile_pay":{"id":"0f6f5aaa12c780009","transaction_id":"0f6f5aaa17cb60008","widget_id":"00000000-1111-4222-8333-444444444444","merchant_transaction_id":"036fecc9-0000-4875-8d6f-000000000002","fiat_currency":"EUR","fiat_amount":"50.00","currency":"USDC","amount":"52.10","status":"order_failed","created_at":"2026-07-31 11:00:00","updated_at":"2026-07-31 11:00:09","payment_method":"apple","card_country":null}}"#
    static let page = #"{"status":200,"total":2,"next":null,"prev":null,"data":[\#(bought),\#(refused)]}"#

    static func map(_ file: String) throws -> StatusMap {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let path = here.appending(path: "../../SQL/reference/status_map/\(file).csv")
        return try StatusMap(csv: try String(contentsOf: path, encoding: .utf8))
    }

    static func provider(options: [String: String] = [:], keys: [String] = []) throws -> Mercuryo {
        Mercuryo(
            configuration: try MercuryoConfiguration(
                ProviderOptions(
                    environment: "live", apiKey: Secret("partner-token"), webhookSecrets: keys.map { Secret($0) },
                    options: options)),
            statusMap: try map("mercuryo"))
    }

    static func map(element text: String) throws -> MappedTransaction {
        try provider().payments.mapping.map(try JSONDocument(text).root)
    }

    /// An element of operations, each given as `kind status further members`.
    static func element(_ operations: [(kind: String, status: String, more: String)]) -> String {
        "{"
            + operations.map { kind, status, more in
                #""\#(kind)":{"id":"\#(kind)-1","transaction_id":"T1","status":"\#(status)","created_at":"2026-07-31 12:00:05","updated_at":"2026-07-31 12:00:06"\#(more.isEmpty ? "" : "," + more)}"#
            }.joined(separator: ",") + "}"
    }

    static func response(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPHeaders([]), body: HTTPBody(Array(text.utf8)))
    }
}

@Suite("Mercuryo")
struct MercuryoTests {
    @Test("a purchase of two operations is one row: charged once, delivered as the withdrawal says, times in UTC")
    func bought() throws {
        let row = try MercuryoSample.map(element: MercuryoSample.bought)
        #expect(row.transactionID == "0f6f5aaa17cb60002")
        #expect(row.direction == .in)
        #expect(row.kind == "mobile_pay" && row.paymentMethod == "apple" && row.country == "FR")
        #expect(row.rawStatus == "completed" && row.reading.state == .settled && row.money == .delivered)
        #expect(row.reading.isFinal)
        #expect(row.charged?.description == "100" && row.chargedCurrency == "EUR")
        #expect(row.delivered?.description == "104.5123" && row.deliveredCurrency == "USDC")
        #expect(row.createdAt == Timestamp("2026-07-31T12:00:05Z"))
        #expect(row.updatedAt == Timestamp("2026-07-31T12:03:02Z"))
        #expect(row.takenAt == Timestamp("2026-07-31T12:00:21Z"))
        #expect(row.feeTotal == nil && row.customerID == nil)
        #expect(row.walletAddress == "0x51FB8001311111111111111212111111111111AA")
        #expect(row.flagTexts == ["event_expected"])
        #expect(row.unmappedPaths == [])
        #expect(
            row.referenceTexts == [
                "book:order=036fecc9-0000-4875-8d6f-000000000001",
                "chain:tx=0xaa00000000000000000000000000000000000000000000000000000000000001",
                "mercuryo:operation=0f6f5aaa12c780001", "mercuryo:operation=0f6f5ab8ed8670003",
                "mercuryo:transaction=036fecc9-0000-4875-8d6f-000000000001", "mercuryo:transaction=0f6f5aaa12c780001",
                "mercuryo:transaction=0f6f5aaa17cb60002", "mercuryo:transaction=0f6f5ab8ed8670003",
            ])
        let refused = try MercuryoSample.map(element: MercuryoSample.refused)
        #expect(refused.transactionID == "0f6f5aaa17cb60008")
        #expect(refused.reading.state == .declined && refused.money == .none && refused.takenAt == nil)
        #expect(refused.country == nil)
    }

    @Test("amounts keep 18 digits and more, whole numbers and numbers that are no text")
    func amounts() throws {
        func charged(_ text: String) throws -> String? {
            try MercuryoSample.map(
                element: MercuryoSample.element([("buy", "paid", #""amount":\#(text),"fiat_amount":"123""#)])
            ).delivered?.description
        }
        #expect(try charged(#""0.057312834222948850""#) == "0.05731283422294885")
        #expect(try charged(#""1234567.0573128342229488501""#) == "1234567.0573128342229488501")
        #expect(try charged("5.710288210") == "5.71028821")
        #expect(throws: RowFault("buy.amount: not a number", recordID: "T1", references: Self.references)) {
            try charged(#""12.3.4""#)
        }
    }

    private static let references = [
        "mercuryo:transaction=T1", "mercuryo:transaction=buy-1", "mercuryo:operation=buy-1",
    ].compactMap {
        Reference(column: $0)
    }

    @Test("case 16: a changed type names its path; id and references stay readable")
    func changed() throws {
        #expect(
            throws: RowFault(
                "type_changed: buy.fiat_amount number->object", recordID: "T1", references: Self.references)
        ) {
            try MercuryoSample.map(element: MercuryoSample.element([("buy", "paid", #""fiat_amount":{"value":"1"}"#)]))
        }
        #expect(throws: RowFault("type_changed: buy object->string")) {
            try MercuryoSample.map(element: #"{"buy":"paid"}"#)
        }
        #expect(throws: RowFault("missing: buy.status", recordID: "T1", references: Array(Self.references.prefix(1)))) {
            try MercuryoSample.map(element: #"{"buy":{"transaction_id":"T1","created_at":"2026-07-31 12:00:05"}}"#)
        }
        #expect(throws: RowFault("missing: an operation")) { try MercuryoSample.map(element: "{}") }
    }

    @Test("without a shared id an operation's own names the row; an operation nobody knows is stored as unknown")
    func fallbacks() throws {
        let bare = #"{"buy":{"id":"B1","status":"paid","created_at":"2026-07-31 12:00:05"}}"#
        let row = try MercuryoSample.map(element: bare)
        #expect(row.transactionID == "B1")
        #expect(row.flags.contains("updated_at_missing"))
        let mapping = try MercuryoSample.provider().payments.mapping
        #expect(mapping.identity(of: try JSONDocument(bare).root).id == "B1")
        let odd = try MercuryoSample.map(element: MercuryoSample.element([("swap", "paid", "")]))
        #expect(odd.kind == "swap" && odd.reading.state == .unknown && odd.money == .unknown)
        #expect(odd.flags.contains("status_unknown"))
    }

    @Test("rows of another widget are strangers, where the own one is named; the twin without is none")
    func strangers() throws {
        let element = try JSONDocument(MercuryoSample.bought).root
        let other = try MercuryoSample.provider(options: ["widget_id": "ffffffff-1111-4222-8333-444444444444"])
        #expect(other.payments.mapping.identity(of: element).isStranger)
        let own = try MercuryoSample.provider(options: ["widget_id": "00000000-1111-4222-8333-444444444444"])
        #expect(!own.payments.mapping.identity(of: element).isStranger)
        #expect(!(try MercuryoSample.provider()).payments.mapping.identity(of: element).isStranger)
        #expect(own.payments.mapping.identity(of: element).createdAt == Timestamp("2026-07-31T12:00:05Z"))
    }

    @Test("personal data is cut from what is kept; an explorer's link is no news, another status is")
    func kept() throws {
        let mapping = try MercuryoSample.provider().payments.mapping
        let personal = MercuryoSample.element([
            ("mobile_pay", "paid", #""email":"mail@example.com","card":{"number":"4242"},"user":{"uuid4":"u-u-i-d"}"#),
            ("withdraw", "completed", #""url":"https://one.test","address":"0xabc","refund_address":"0xback""#),
            ("deposit", "new", #""address":"0xdeposit""#),
        ])
        let bytes = mapping.redaction.kept(try JSONDocument(personal).root).bytes
        let text = String(decoding: bytes, as: UTF8.self)
        for cut in ["mail@example.com", "4242", "u-u-i-d", "0xback", "0xdeposit"] {
            #expect(!text.contains(cut), "\(cut)")
        }
        #expect(text.contains("0xabc"))
        func hash(_ text: String) throws -> [UInt8] { RawHash.of(try JSONDocument(text).root, mapping) }
        let before = try hash(personal)
        #expect(try hash(personal.replacing("https://one.test", with: "https://two.test")) == before)
        #expect(try hash(personal.replacing("completed", with: "failed")) != before)
    }

    @Test("what changes in the operation that does not decide makes another version")
    func news() throws {
        let one = try MercuryoSample.map(element: MercuryoSample.bought)
        let two = try MercuryoSample.map(
            element: MercuryoSample.bought.replacing("2026-07-31 12:00:21", with: "2026-07-31 12:00:20"))
        #expect(one.contentHash() != two.contentHash())
        let strange = try MercuryoSample.map(
            element: MercuryoSample.bought.replacing(#""payment_method":"#, with: #""risk":3,"payment_method":"#))
        #expect(strange.unmappedPaths == ["mobile_pay.risk"])
    }
}
