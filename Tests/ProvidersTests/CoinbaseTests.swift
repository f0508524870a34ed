import Crypto
import Foundation
import HTTP
import JSON
import Payments
import Testing

@testable import Providers

/// Documents as the provider shows them, and a provider with keys of RFC 8037.
enum CoinbaseSample {
    static let row =
        #"{"status":"ONRAMP_TRANSACTION_STATUS_SUCCESS","purchase_currency":"USDC","purchase_network":"base","purchase_amount":{"value":"96.31","currency":"USDC"},"payment_total":{"value":"100","currency":"USD"},"payment_subtotal":{"value":"96.31","currency":"USD"},"coinbase_fee":{"value":"3.49","currency":"USD"},"network_fee":{"value":"0.20","currency":"USD"},"exchange_rate":{"value":"1","currency":"USDC"},"tx_hash":"0x3100000000000000000000000000000000000000000000000000000000000001","created_at":"2026-07-31T12:00:00.123Z","country":"US","user_id":"9f86d081884c7d659a2feaa0c55ad0aa","partner_user_ref":"meld-cust-0001","payment_method":"GUEST_CHECKOUT_APPLE_PAY","transaction_id":"1f0aa001-0000-6000-8000-000000000001","wallet_address":"0x51FB8001311111111111111212111111111111AA","type":"ONRAMP_TRANSACTION_TYPE_BUY_AND_SEND"}"#
    static let page =
        #"{"transactions":[\#(row)],"next_page_key":"eyJndF9za2lwIjowLCJvdF9za2lwIjoxfQ==","total_count":"3"}"#
    static let order =
        #"{"orderId":"0f3c0000-0000-4000-8000-000000000002","paymentTotal":"50.75","paymentSubtotal":"50","paymentCurrency":"USD","paymentMethod":"GUEST_CHECKOUT_APPLE_PAY","purchaseAmount":"50.000000","purchaseCurrency":"USDC","fees":[{"type":"FEE_TYPE_EXCHANGE","amount":"0.50","currency":"USD"},{"type":"FEE_TYPE_NETWORK","amount":"0.25","currency":"USD"}],"exchangeRate":"1","destinationAddress":"0x51FB8001311111111111111212111111111111AA","destinationNetwork":"base","status":"ONRAMP_ORDER_STATUS_PROCESSING","createdAt":"2026-07-31T12:00:00Z","updatedAt":"2026-07-31T12:01:00Z","partnerUserRef":"sandbox-user-1"}"#

    static let keyID = "organizations/o-1/apiKeys/k-1"

    static func seed() throws -> [UInt8] {
        try #require(
            Base64.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", alphabet: .url, padding: .forbidden))
    }

    static func configuration(
        environment: String = "live", base: String? = nil, options: [String: String] = [:], webhooks: [String] = []
    ) throws -> CoinbaseConfiguration {
        try CoinbaseConfiguration(
            ProviderOptions(
                environment: environment, apiBase: base, apiKey: Secret(keyID),
                secrets: ["api_secret": Secret(Base64.encode(try seed()))], webhookSecrets: webhooks.map { Secret($0) },
                options: options))
    }

    static func provider(
        environment: String = "live", options: [String: String] = [:], webhooks: [String] = []
    ) throws -> Coinbase {
        Coinbase(
            configuration: try configuration(environment: environment, options: options, webhooks: webhooks),
            statusMap: try MercuryoSample.map("coinbase"))
    }

    static func map(_ text: String, environment: String = "live") throws -> MappedTransaction {
        try provider(environment: environment).payments.mapping.map(try JSONDocument(text).root)
    }

    static func mapOrder(_ text: String, environment: String = "live") throws -> MappedTransaction {
        let orders = try #require(try provider(environment: environment).resource(named: "order"))
        return try orders.mapping.map(try JSONDocument(text).root)
    }

    /// The least a transaction holds, and more.
    static func element(_ status: String, _ more: String = "") -> String {
        #"{"transaction_id":"T1","status":"ONRAMP_TRANSACTION_STATUS_\#(status)","created_at":"2026-07-31T12:00:00Z"\#(more.isEmpty ? "" : "," + more)}"#
    }

    /// All keys of a document in the other spelling.
    static func camel(_ text: String) throws -> String {
        var camel = text
        var keys: Set<String> = []
        func collect(_ value: JSONValue) {
            for (key, member) in value.members {
                keys.insert(key)
                collect(member)
            }
        }
        collect(try JSONDocument(text).root)
        for key in keys { camel = camel.replacing("\"\(key)\":", with: "\"\(CoinbaseFields.camel(key))\":") }
        return camel
    }
}

@Suite("Coinbase")
struct CoinbaseTests {
    @Test("a transaction field by field")
    func row() throws {
        let row = try CoinbaseSample.map(CoinbaseSample.row)
        #expect(row.transactionID == "1f0aa001-0000-6000-8000-000000000001" && row.resource == "transaction")
        #expect(row.direction == .in && row.kind == "ONRAMP_TRANSACTION_TYPE_BUY_AND_SEND")
        #expect(row.rawStatus == "ONRAMP_TRANSACTION_STATUS_SUCCESS" && row.reading.state == .settled)
        #expect(row.money == .delivered && row.reading.isFinal)
        #expect(row.charged?.description == "100" && row.chargedCurrency == "USD")
        #expect(row.delivered?.description == "96.31" && row.deliveredCurrency == "USDC")
        #expect(row.feeProvider?.description == "3.49" && row.feeNetwork?.description == "0.2")
        #expect(row.feeCurrency == "USD" && row.feeTotal == nil)
        #expect(row.createdAt == Timestamp("2026-07-31T12:00:00.123Z") && row.updatedAt == nil)
        #expect(row.paymentMethod == "GUEST_CHECKOUT_APPLE_PAY" && row.country == "US")
        #expect(row.customerID == "meld-cust-0001" && !row.isTest)
        #expect(row.walletAddress == "0x51FB8001311111111111111212111111111111AA")
        #expect(row.unmappedPaths == [])
        #expect(row.flagTexts == ["event_expected"])
        #expect(
            row.referenceTexts == [
                "chain:tx=0x3100000000000000000000000000000000000000000000000000000000000001",
                "coinbase:transaction=1f0aa001-0000-6000-8000-000000000001",
            ])
    }

    @Test("both spellings of the keys are one row: the same content, also of fields that nobody documented")
    func spellings() throws {
        let strange = String(CoinbaseSample.row.dropLast()) + #","risk_score":3,"end_partner_name":"x"}"#
        for text in [CoinbaseSample.row, strange] {
            let one = try CoinbaseSample.map(text)
            let other = try CoinbaseSample.map(try CoinbaseSample.camel(text))
            #expect(one == other && one.contentHash() == other.contentHash())
        }
        #expect(try CoinbaseSample.map(strange).unmappedPaths == ["risk_score"])
        #expect(try CoinbaseSample.camel(CoinbaseSample.row).contains("\"partnerUserRef\""))
        // Both at once: the same is one, what differs is nobody's word.
        let twice = String(CoinbaseSample.row.dropLast())
        #expect(try CoinbaseSample.map(twice + #","paymentMethod":"GUEST_CHECKOUT_APPLE_PAY"}"#).customerID != nil)
        #expect(throws: RowFault.self) { try CoinbaseSample.map(twice + #","paymentMethod":"CARD"}"#) }
    }

    @Test("a value that changes under a field without a column is another version")
    func news() throws {
        let before = try CoinbaseSample.map(CoinbaseSample.row).contentHash()
        for (old, new) in [
            (#""purchase_network":"base""#, #""purchase_network":"polygon""#),
            (#""payment_subtotal":{"value":"96.31""#, #""payment_subtotal":{"value":"96.30""#),
            (#""exchange_rate":{"value":"1""#, #""exchange_rate":{"value":"1.01""#),
        ] {
            #expect(
                try CoinbaseSample.map(CoinbaseSample.row.replacing(old, with: new)).contentHash() != before, "\(new)")
        }
    }

    @Test("zero times and hashes that are not there yet are none; only id, status and a time are needed")
    func sparse() throws {
        let row = try CoinbaseSample.map(
            CoinbaseSample.element("IN_PROGRESS", #""tx_hash":"0x","completed_at":"0001-01-01T00:00:00Z""#))
        #expect(row.referenceTexts == ["coinbase:transaction=T1"] && row.money == .held)
        #expect(row.charged == nil && row.customerID == nil && row.kind == nil)
        let ended =
            #"{"transactionId":"T1","status":"x","createdAt":"0001-01-01T00:00:00Z","completedAt":"2026-07-31T13:00:00Z"}"#
        #expect(try CoinbaseSample.map(ended).createdAt == Timestamp("2026-07-31T13:00:00Z"))
        #expect(throws: RowFault("missing: created_at", recordID: "T1", references: Self.reference)) {
            try CoinbaseSample.map(#"{"transaction_id":"T1","status":"x","tx_hash":""}"#)
        }
        #expect(throws: RowFault("missing: transaction_id")) { try CoinbaseSample.map(#"{"status":"x"}"#) }
        #expect(throws: RowFault("missing: status", recordID: "T1", references: Self.reference)) {
            try CoinbaseSample.map(#"{"transaction_id":"T1"}"#)
        }
    }

    private static let reference = [Reference("coinbase:transaction", "T1")].compactMap(\.self)

    @Test("case 16: a changed type names its path")
    func changed() throws {
        #expect(
            throws: RowFault("type_changed: payment_total object->string", recordID: "T1", references: Self.reference)
        ) {
            try CoinbaseSample.map(CoinbaseSample.element("SUCCESS", #""paymentTotal":"5.07""#))
        }
        #expect(throws: RowFault("payment_total.value: not a number", recordID: "T1", references: Self.reference)) {
            try CoinbaseSample.map(
                CoinbaseSample.element("SUCCESS", #""payment_total":{"value":"5,07","currency":"USD"}"#))
        }
    }

    @Test("fees that do not make up the total are flagged, and parts in another currency are not taken for the same")
    func fees() throws {
        func flags(_ old: String, _ new: String) throws -> [String] {
            try CoinbaseSample.map(CoinbaseSample.row.replacing(old, with: new)).flags
        }
        #expect(try flags(#""value":"0.20""#, #""value":"0.21""#).contains("fee_sum_differs"))
        #expect(!(try flags("x", "y")).contains("fee_sum_differs"))
        let mixed = CoinbaseSample.row.replacing(
            #""network_fee":{"value":"0.20","currency":"USD"}"#,
            with: #""network_fee":{"value":"0.0001","currency":"ETH"}"#)
        let row = try CoinbaseSample.map(mixed)
        #expect(row.feeNetwork == nil && row.feeCurrency == "USD" && row.flags.contains("fee_currencies_differ"))
        let alone = try CoinbaseSample.map(
            CoinbaseSample.element("SUCCESS", #""network_fee":{"value":"0.07","currency":"USD"}"#))
        #expect(alone.feeNetwork?.description == "0.07" && alone.feeCurrency == "USD")
    }

    @Test("references of the test mode are test rows of a live source, and plain ones of a sandbox")
    func testMode() throws {
        let text = CoinbaseSample.row.replacing("meld-cust-0001", with: "sandbox-user-1")
        #expect(try CoinbaseSample.map(text).isTest)
        #expect(try !CoinbaseSample.map(text, environment: "sandbox").isTest)
        #expect(try CoinbaseSample.map(text).customerID == "sandbox-user-1")
    }

    @Test(
        "a customer's reference that is an address, a telephone number or a name is neither stored nor kept",
        arguments: [
            "jane@example.com", "sandbox-jane@example.com", "Jane Doe", "jane.doe", "Jane-Doe", "jane_van_doe",
            "+4915112345678", "jane%40example.com", "Jürgen",
        ])
    func personal(reference: String) throws {
        let provider = try CoinbaseSample.provider()
        for text in [CoinbaseSample.row, try CoinbaseSample.camel(CoinbaseSample.row)] {
            let changed = text.replacing("meld-cust-0001", with: reference)
            let row = try CoinbaseSample.map(changed)
            #expect(row.customerID == nil && row.flags.contains("customer_not_opaque"))
            let element = try JSONDocument(changed).root
            let kept = provider.payments.mapping.redaction.kept(element).bytes
            #expect(!String(decoding: kept, as: UTF8.self).contains(reference))
            // Coinbase knows it; only an address is not even sent.
            let ask = provider.payments.reader?.request(for: ReadAsk(id: nil, customerID: reference))
            #expect((ask == nil) == (reference.contains("@") || reference.contains("%40")))
        }
    }

    @Test("opaque references are kept", arguments: ["meld-cust-0001", "u", "8f14e45f-ceea-467f", "user_42", "cus9"])
    func opaque(reference: String) throws {
        let text = CoinbaseSample.row.replacing("meld-cust-0001", with: reference)
        #expect(try CoinbaseSample.map(text).customerID == reference)
        let element = try JSONDocument(text).root
        let kept = try CoinbaseSample.provider().payments.mapping.redaction.kept(element).bytes
        #expect(String(decoding: kept, as: UTF8.self).contains(reference))
    }

    @Test("what must not be stored is cut in both spellings")
    func redaction() throws {
        let mapping = try CoinbaseSample.provider().payments.mapping
        let text =
            String(CoinbaseSample.row.dropLast()) + #","phoneNumber":"+491","email":"a@b.de","sessionToken":"tok"}"#
        for text in [text, try CoinbaseSample.camel(text)] {
            let element = try JSONDocument(text).root
            let kept = String(decoding: mapping.redaction.kept(element).bytes, as: UTF8.self)
            for cut in ["9f86d081", "+491", "a@b.de", "\"tok\""] { #expect(!kept.contains(cut), "\(cut)") }
            #expect(kept.contains("meld-cust-0001"))
        }
    }

    @Test("an order is a second view: its own id, plain amounts, fees by type, a hash where there is one")
    func order() throws {
        let order = try CoinbaseSample.mapOrder(CoinbaseSample.order)
        #expect(order.resource == "order" && order.transactionID == "0f3c0000-0000-4000-8000-000000000002")
        #expect(order.reading.state == .settling && order.money == .held && order.isTest)
        #expect(order.charged?.description == "50.75" && order.chargedCurrency == "USD")
        #expect(order.delivered?.description == "50" && order.deliveredCurrency == "USDC")
        #expect(order.feeProvider?.description == "0.5" && order.feeNetwork?.description == "0.25")
        #expect(order.feeCurrency == "USD" && order.feeOther == nil)
        #expect(order.updatedAt == Timestamp("2026-07-31T12:01:00Z") && order.parentID == nil)
        #expect(order.customerID == "sandbox-user-1" && order.unmappedPaths == [])
        #expect(order.referenceTexts.contains("coinbase:order=0f3c0000-0000-4000-8000-000000000002"))
        let sent = String(CoinbaseSample.order.dropLast()) + #","txHash":"0x31"}"#
        #expect(try CoinbaseSample.mapOrder(sent).money == .taken)
        #expect(try CoinbaseSample.mapOrder(sent).referenceTexts.contains("chain:tx=0x31"))
        let twice = CoinbaseSample.order.replacing("FEE_TYPE_NETWORK", with: "FEE_TYPE_EXCHANGE")
        let repeated = try CoinbaseSample.mapOrder(twice)
        #expect(repeated.feeProvider == nil && repeated.flags.contains("fees_repeated"))
        #expect(throws: RowFault("type_changed: fees array->object", recordID: "O", references: Self.orderReferences)) {
            try CoinbaseSample.mapOrder(
                #"{"orderId":"O","status":"s","createdAt":"2026-07-31T12:00:00Z","fees":{"type":"a"}}"#)
        }
    }

    private static let orderReferences = ["coinbase:order=O", "coinbase:transaction=O"].compactMap {
        Reference(column: $0)
    }
}
