import Foundation
import HTTP
import JSON
import Payments
import Testing

@testable import Providers

/// What the tests of Banxa share.
enum BanxaScene {
    static let secret = "sk_demo_9b7e2d"

    static func map() throws -> StatusMap {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let path = here.appending(path: "../../SQL/reference/status_map/banxa.csv")
        return try StatusMap(csv: String(contentsOf: path, encoding: .utf8))
    }

    static func options(_ options: [String: String], hooks: [String] = []) -> ProviderOptions {
        ProviderOptions(
            environment: "live", apiKey: Secret("pk_demo"), secrets: ["api_secret": Secret(secret)],
            webhookSecrets: hooks.map { Secret($0) }, options: options)
    }

    static func banxa(_ surface: BanxaSurface = .v2, hooks: [String] = []) throws -> Banxa {
        if hooks.isEmpty, let ready = try ready.get()[surface] { return ready }
        return try make(surface, hooks)
    }

    /// Made once: what a mapping keeps, compares and knows takes a while to be compiled.
    private static let ready = Result<[BanxaSurface: Banxa], any Error> {
        try Dictionary(uniqueKeysWithValues: BanxaSurface.allCases.map { ($0, try make($0, [])) })
    }

    private static func make(_ surface: BanxaSurface, _ hooks: [String]) throws -> Banxa {
        let configuration = try BanxaConfiguration(
            options(["surface": surface.rawValue, "partner_ref": "demo-partner"], hooks: hooks))
        return Banxa(configuration: configuration, statusMap: try map())
    }

    static func map(_ text: String, _ surface: BanxaSurface = .v2) throws -> MappedTransaction {
        try banxa(surface).payments.mapping.map(try JSONDocument(text).root)
    }

    static func response(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPHeaders([]), body: HTTPBody(Array(text.utf8)))
    }

    /// The example documents of Banxa's list.
    static let purchase =
        #"{"id":"5b0e7c1d9a3f4e628c10d2b4f6a8e9c1","externalId":"ord-1001","externalCustomerId":"cust-77","country":"AU","orderType":"BUY","orderStatusUrl":"https://example.test/status/5b0e7c1d9a3f4e628c10d2b4f6a8e9c1","status":"complete","createdAt":"2026-11-03T01:02:03.004Z","updatedAt":"2026-11-03T01:20:00.000Z","crypto":{"id":"XRP","blockchain":"XRP","address":"","network":""},"fiat":"AUD","fiatAmount":"250.00","cryptoAmount":"301.250000","paymentMethodId":"payid-bank-transfer","paymentMethodName":"PayID","processingFee":"1.25","networkFee":"0.10","partnerFee":"","walletAddress":"rDemoWallet1111111111111111111111","walletAddressTag":"0045120","transactionHash":"A1B2C3D4E5F60718293A4B5C6D7E8F90A1B2C3D4E5F60718293A4B5C6D7E8F90","metadata":""}"#
    static let sale =
        #"{"id":"77aa1190cd2e4b53a6f0918273645546","externalId":"ord-1002","externalCustomerId":"cust-78","country":"US","orderType":"SELL","orderStatusUrl":"https://example.test/status/77aa1190cd2e4b53a6f0918273645546","status":"expired","createdAt":"2026-11-02T09:00:00.000Z","updatedAt":"2026-11-02T10:00:00.000Z","crypto":{"id":"USDC","blockchain":"ETH","address":"0x0000000000000000000000000000000000000001","network":"1"},"fiat":"USD","fiatAmount":"99.10","cryptoAmount":"100.00","paymentMethodId":"ach-bank-transfer","paymentMethodName":"ACH","processingFee":"0","networkFee":"0.90","partnerFee":"0.00","walletAddress":"0x00000000000000000000000000000000000000aa","walletAddressTag":"","transactionHash":"","metadata":"{'batch': 'b1'}"}"#
    static let ramp =
        #"{"id":"0c1d2e3f405162738495a6b7c8d9eafb","subPartnerId":"2125","identityReference":"cust-77","status":"PAYMENT_RECEIVED","source":{"fiat":{"id":"AUD","method":"payid-bank-transfer"},"amount":"500.00"},"target":{"crypto":{"id":"XLM","blockchain":"XLM","walletAddress":"GDEMOWALLET","walletAddressMemo":"99120034"},"amount":"1324.51"},"sourceDepositInstructions":{"recipientEmail":"pay@example.test","depositReference":"BNX-00000001"},"receipt":{"gatewayFee":"2.50","networkFee":"2.00","sourceAmount":"500.00","targetAmount":"1324.51"},"createdAt":"2026-11-05T03:45:00.000Z"}"#
    static let legacy =
        #"{"id":"fe01","account_id":"a1","account_reference":"cust-9","order_type":"CRYPTO-BUY","payment_type":"WORLDPAYCREDIT","ref":85322,"country":"DE","fiat_code":"EUR","fiat_amount":100.10,"coin_code":"BTC","coin_amount":0.0012300000000000001,"wallet_address":"bc1q","wallet_address_tag":null,"fee":1.10,"fee_tax":0.20,"payment_fee":null,"payment_fee_tax":null,"commission":0.3,"merchant_fee":0.5,"merchant_commission":null,"tx_hash":null,"tx_confirms":2,"created_date":"01-Jul-2022","created_at":"01-Jul-2022 07:51:18","completed_at":null,"status":"waitingPayment","blockchain":[{"id":1,"code":"BTC","description":"Bitcoin"}],"meta_data":null}"#
}

@Suite("Banxa's orders and ramps")
struct BanxaTests {
    @Test("a purchase of v2 is mapped field by field; an empty fee is not known, the tag keeps its zeros")
    func purchase() throws {
        let mapped = try BanxaScene.map(BanxaScene.purchase)
        #expect(mapped.transactionID == "5b0e7c1d9a3f4e628c10d2b4f6a8e9c1")
        #expect(mapped.direction == .in && mapped.kind == "BUY" && mapped.rawStatus == "complete")
        #expect(mapped.createdAt.description == "2026-11-03T01:02:03.004000Z")
        #expect(mapped.updatedAt == Timestamp("2026-11-03T01:20:00Z"))
        #expect(mapped.charged?.description == "250" && mapped.chargedCurrency == "AUD")
        #expect(mapped.delivered?.description == "301.25" && mapped.deliveredCurrency == "XRP")
        #expect(mapped.feeProvider?.description == "1.25" && mapped.feeNetwork?.description == "0.1")
        #expect(mapped.feePartner == nil && mapped.feeTotal == nil && mapped.feeCurrency == "AUD")
        #expect(mapped.paymentMethod == "payid-bank-transfer" && mapped.country == "AU")
        #expect(mapped.customerID == "cust-77" && mapped.walletTag == "0045120")
        #expect(mapped.walletAddress == "rDemoWallet1111111111111111111111")
        #expect(mapped.money == .delivered && mapped.reading.state == .settled && mapped.reading.isFinal)
        #expect(mapped.flagTexts == ["event_expected", "network=XRP"] && mapped.unmappedPaths == [])
        #expect(
            mapped.referenceTexts == [
                "banxa:order=5b0e7c1d9a3f4e628c10d2b4f6a8e9c1", "banxa:transaction=5b0e7c1d9a3f4e628c10d2b4f6a8e9c1",
                "book:order=ord-1001",
                "chain:tx=A1B2C3D4E5F60718293A4B5C6D7E8F90A1B2C3D4E5F60718293A4B5C6D7E8F90",
            ])
    }

    @Test("a sale charges the crypto and delivers the fiat; a fee of 0 is known; what lapsed may come back")
    func sale() throws {
        let mapped = try BanxaScene.map(BanxaScene.sale)
        #expect(mapped.direction == .out)
        #expect(mapped.charged?.description == "100" && mapped.chargedCurrency == "USDC")
        #expect(mapped.delivered?.description == "99.1" && mapped.deliveredCurrency == "USD")
        #expect(mapped.feeProvider == .zero && mapped.feePartner == .zero && mapped.feeCurrency == "USD")
        #expect(mapped.reading.state == .expired && !mapped.reading.isFinal && mapped.money == .none)
        #expect(mapped.walletTag == nil && mapped.unmappedPaths == [])
        #expect(!mapped.referenceTexts.contains { $0.hasPrefix("chain:tx") })
    }

    @Test("a ramp of Native is mapped field by field")
    func ramp() throws {
        let mapped = try BanxaScene.map(BanxaScene.ramp, .native)
        #expect(mapped.transactionID == "0c1d2e3f405162738495a6b7c8d9eafb" && mapped.direction == .in)
        #expect(mapped.charged?.description == "500" && mapped.chargedCurrency == "AUD")
        #expect(mapped.delivered?.description == "1324.51" && mapped.deliveredCurrency == "XLM")
        #expect(mapped.feeProvider?.description == "2.5" && mapped.feeNetwork?.description == "2")
        #expect(mapped.feeCurrency == "AUD" && mapped.walletTag == "99120034" && mapped.walletAddress == "GDEMOWALLET")
        #expect(mapped.customerID == "cust-77" && mapped.paymentMethod == "payid-bank-transfer")
        #expect(mapped.money == .taken && mapped.reading.state == .paid && mapped.updatedAt == nil)
        #expect(mapped.flagTexts == ["network=XLM"] && mapped.unmappedPaths == [])
    }

    @Test("a ramp whose source is crypto is a sale; the receipt goes before what was asked for")
    func offRamp() throws {
        let mapped = try BanxaScene.map(
            #"{"id":"r","identityReference":"c","status":"FIAT_TRANSFERRED","source":{"crypto":{"id":"USDT","blockchain":"TRON","walletAddress":"T1"},"amount":"100"},"target":{"fiat":{"id":"EUR","method":"sepa-bank-transfer","instructions":{"iban":"DE00"}},"amount":"90"},"receipt":{"sourceAmount":"100","targetAmount":"89.50"},"createdAt":"2026-11-05T03:45:00.000Z","updatedAt":"2026-11-05T04:00:00.000Z","transactionHash":"0"}"#,
            .native)
        #expect(mapped.direction == .out && mapped.money == .taken)
        #expect(mapped.charged?.description == "100" && mapped.chargedCurrency == "USDT")
        #expect(mapped.delivered?.description == "89.5" && mapped.deliveredCurrency == "EUR")
        #expect(mapped.updatedAt == Timestamp("2026-11-05T04:00:00Z") && mapped.feeCurrency == nil)
        #expect(mapped.referenceTexts == ["banxa:order=r", "banxa:transaction=r"])
    }

    @Test("a legacy order keeps the digits of its numbers and adds up the fee parts that are known")
    func legacy() throws {
        let mapped = try BanxaScene.map(BanxaScene.legacy, .legacy)
        #expect(mapped.createdAt == Timestamp("2022-07-01T07:51:18Z") && mapped.updatedAt == nil)
        #expect(mapped.charged?.description == "100.1" && mapped.chargedCurrency == "EUR")
        #expect(mapped.delivered?.description == "0.0012300000000000001" && mapped.deliveredCurrency == "BTC")
        #expect(mapped.feeProvider?.description == "1.6" && mapped.feePartner?.description == "0.5")
        #expect(mapped.feeNetwork == nil && mapped.feeCurrency == "EUR")
        #expect(mapped.customerID == "cust-9" && mapped.paymentMethod == "WORLDPAYCREDIT" && mapped.walletTag == nil)
        #expect(mapped.money == .held && mapped.unmappedPaths == [])
        // Its events name no status.
        #expect(
            try BanxaScene.map(BanxaScene.legacy.replacing("waitingPayment", with: "complete"), .legacy).flags == [
                "network=BTC"
            ])
        let sale = BanxaScene.legacy.replacing("CRYPTO-BUY", with: "CRYPTO-SELL").replacing(
            #"[{"id":1,"code":"BTC","description":"Bitcoin"}]"#, with: #"{"code":"BTC","description":"Bitcoin"}"#)
        let sold = try BanxaScene.map(sale, .legacy)
        #expect(sold.direction == .out && sold.chargedCurrency == "BTC" && sold.money == .none)
        #expect(sold.unmappedPaths == [])
    }

    @Test(
        "the partner's order id has three names, the crypto and the method have two types",
        arguments: ["externalId", "externalOrderId", "external_id"])
    func names(name: String) throws {
        let text =
            #"{"id":"x","\#(name)":"A-1","orderType":"BUY","status":"waitingPayment","createdAt":"2026-11-03T01:02:03.004Z","crypto":"XLM","blockchain":"XLM","fiat":"EUR","fiatAmount":"1","cryptoAmount":"2","paymentMethodId":6028,"paymentMethodType":"Apple Pay"}"#
        let mapped = try BanxaScene.map(text)
        #expect(mapped.referenceTexts.contains("book:order=A-1"))
        #expect(mapped.deliveredCurrency == "XLM" && mapped.paymentMethod == "Apple Pay" && mapped.money == .held)
        #expect(mapped.flagTexts == ["network=XLM", "updated_at_missing"])
        let bare = try BanxaScene.map(text.replacing(#","paymentMethodType":"Apple Pay""#, with: ""))
        #expect(bare.paymentMethod == "6028" && bare.money == .none)
    }

    @Test("old names may stand in a v2 order; of both the new one counts")
    func oldNames() throws {
        let mapped = try BanxaScene.map(
            #"{"id":"x","order_type":"CRYPTO-SELL","account_reference":"c1","meta_data":"{'a': 1}","status":"complete","created_at":"03-Nov-2026 01:02:03","fiat":"EUR","fiat_code":"USD","fiat_amount":10,"coin_code":"BTC","coin_amount":1}"#
        )
        #expect(mapped.direction == .out && mapped.customerID == "c1" && mapped.deliveredCurrency == "EUR")
        #expect(mapped.createdAt == Timestamp("2026-11-03T01:02:03Z") && mapped.unmappedPaths == [])
    }

    @Test(
        "a customer's reference that is no opaque id is neither stored nor kept; an opaque one is",
        arguments: ["jane@example.com", "Jane Doe", "jane\\u0040example.com"])
    func customers(reference: String) throws {
        for (text, own, surface) in [
            (BanxaScene.purchase, "cust-77", BanxaSurface.v2), (BanxaScene.ramp, "cust-77", .native),
            (BanxaScene.legacy, "cust-9", .legacy),
        ] {
            let mapping = try BanxaScene.banxa(surface).payments.mapping
            func kept(_ text: String) throws -> String {
                String(decoding: mapping.redaction.kept(try JSONDocument(text).root).bytes, as: UTF8.self)
            }
            #expect(try kept(text).contains(own) && mapping.map(try JSONDocument(text).root).customerID == own)
            let named = text.replacing("\"\(own)\"", with: "\"\(reference)\"")
            let mapped = try mapping.map(try JSONDocument(named).root)
            #expect(mapped.customerID == nil && mapped.flags.contains("customer_not_opaque"))
            #expect(!(try kept(named)).lowercased().contains("jane"))
        }
    }

    @Test("a fee under its old and its new name is one fee; an empty new name leaves it to the old one")
    func feeSpellings() throws {
        func fees(_ members: String) throws -> [String?] {
            let text = BanxaScene.purchase.replacing(
                #""processingFee":"1.25","networkFee":"0.10","partnerFee":"""#, with: members)
            let mapped = try BanxaScene.map(text)
            return [mapped.feeProvider, mapped.feeNetwork, mapped.feePartner].map { $0?.description }
        }
        let both =
            #""processingFee":"1.25","processing_fee":"1.25","networkFee":"0.10","network_fee":"0.10","partnerFee":"0.5","partner_fee":"0.5""#
        #expect(try fees(both) == ["1.25", "0.1", "0.5"])
        #expect(try fees(both + #","fee_tax":0.25,"merchant_fee":0.25"#) == ["1.5", "0.1", "0.75"])
        #expect(try fees(both.replacing(#""partnerFee":"0.5""#, with: #""partnerFee":"""#)) == ["1.25", "0.1", "0.5"])
    }

    @Test("case 16: a changed type names path and types and costs that row alone; id and order stay readable")
    func changedType() throws {
        let text = BanxaScene.purchase.replacing(
            #""processingFee":"1.25""#, with: #""processingFee":{"amount":"1.25"}"#)
        do {
            _ = try BanxaScene.map(text)
            Issue.record("a fault expected")
        } catch let fault as RowFault {
            #expect(fault.reason == "type_changed: processingFee number->object")
            #expect(fault.recordID == "5b0e7c1d9a3f4e628c10d2b4f6a8e9c1")
            #expect(fault.references.map(\.description).contains("book:order=ord-1001"))
        }
        for (wrong, reason) in [
            (#"{"id":"x","status":"complete"}"#, "missing: createdAt"),
            (#"{"id":"x","createdAt":"2026-11-03T01:02:03Z"}"#, "missing: status"),
            (#"{"status":"complete","createdAt":"2026-11-03T01:02:03Z"}"#, "missing: id"),
            (#"{"id":"x","status":"complete","createdAt":"yesterday"}"#, "createdAt: not a time"),
            (#"{"id":"x","status":"complete","createdAt":1}"#, "type_changed: createdAt string->number"),
            (
                #"{"id":"x","status":"a","createdAt":"2026-11-03T01:02:03Z","fiatAmount":"ten"}"#,
                "fiatAmount: not a number"
            ),
        ] {
            #expect(
                throws: RowFault(reason, recordID: wrong.contains("\"x\"") ? "x" : nil, references: Self.names(wrong))
            ) {
                try BanxaScene.map(wrong)
            }
        }
        #expect(throws: RowFault.self) {
            try BanxaScene.map(#"{"id":"r","status":"FULFILLED","source":"fiat"}"#, .native)
        }
        #expect(throws: RowFault.self) {
            try BanxaScene.map(#"{"id":"r","status":"FULFILLED","createdAt":"2026-11-03T01:02:03Z"}"#, .native)
        }
    }

    private static func names(_ text: String) -> [Reference] {
        text.contains("\"x\"") ? BanxaWord.references("x", order: nil, hash: nil) : []
    }

    @Test("links, tokens, instructions, free text and personal data are not kept, at any depth")
    func redaction() throws {
        let names = [
            "checkoutUrl", "nativeToken", "orderStatusUrl", "redirectUrl", "email", "metadata", "meta_data",
            "sourceDepositInstructions", "internal_reason", "external_reason", "phone", "firstName", "lastName",
        ]
        let members = names.map { "\"\($0)\":\"SECRET\",\"deep\($0)\":{\"\($0)\":{\"any\":\"SECRET\"}}" }
        let text =
            #"{"id":"x","target":{"fiat":{"id":"EUR","instructions":{"iban":"SECRET"}}},"#
            + members.joined(separator: ",") + "}"
        for surface in BanxaSurface.allCases {
            let mapping = try BanxaScene.banxa(surface).payments.mapping
            let kept = String(decoding: mapping.redaction.kept(try JSONDocument(text).root).bytes, as: UTF8.self)
            #expect(!kept.contains("SECRET") && kept.contains("\"EUR\""))
        }
        let mapping = try BanxaScene.banxa().payments.mapping
        let kept = mapping.redaction.kept(try JSONDocument(BanxaScene.sale).root).bytes
        #expect(!String(decoding: kept, as: UTF8.self).contains("batch"))
        #expect(!String(decoding: kept, as: UTF8.self).contains("example.test"))
    }

    @Test("confirmations count on without being news; a changed status is news")
    func comparison() throws {
        let mapping = try BanxaScene.banxa(.legacy).payments.mapping
        func hash(_ text: String) throws -> [UInt8] { RawHash.of(try JSONDocument(text).root, mapping) }
        let before = try hash(BanxaScene.legacy)
        #expect(before == (try hash(BanxaScene.legacy.replacing("\"tx_confirms\":2", with: "\"tx_confirms\":3"))))
        #expect(before != (try hash(BanxaScene.legacy.replacing("waitingPayment", with: "complete"))))
    }

    @Test("a hash on a buy says that the crypto was sent; on a sale, and as 0, it says nothing")
    func hashOnABuy() throws {
        let declined = BanxaScene.purchase.replacing("\"complete\"", with: "\"declined\"")
        #expect(try BanxaScene.map(declined).money == .taken)
        let hash = "A1B2C3D4E5F60718293A4B5C6D7E8F90A1B2C3D4E5F60718293A4B5C6D7E8F90"
        for none in ["", "0", "0x", "0x0000", "null"] {
            #expect(try BanxaScene.map(declined.replacing(hash, with: none)).money == .none)
        }
        #expect(try BanxaScene.map(declined.replacing("BUY", with: "SELL")).money == .none)
    }

    @Test("an order type that nobody documented is flagged, and so is a status that needs a person")
    func flags() throws {
        #expect(try BanxaScene.map(BanxaScene.purchase.replacing("BUY", with: "SWAP")).flags.contains("type_unknown"))
        let blocked = BanxaScene.ramp.replacing("PAYMENT_RECEIVED", with: "ACCOUNT_BLOCKED")
        #expect(try BanxaScene.map(blocked, .native).flagTexts == ["attention", "network=XLM"])
        let strange = try BanxaScene.map(BanxaScene.purchase.replacing("\"complete\"", with: "\"failed\""))
        #expect(strange.flags.contains("status_unknown") && strange.reading.state == .unknown)
    }

    @Test("Banxa's own sandbox announces nothing but expiries; any other address all final states")
    func sandboxEvents() throws {
        var other = BanxaScene.options(["partner_ref": "p"])
        #expect(try !BanxaConfiguration(other).isBanxasSandbox)
        other.environment = "sandbox"
        #expect(try BanxaConfiguration(other).isBanxasSandbox)
        other.apiBase = "https://localhost:8443/"
        #expect(try !BanxaConfiguration(other).isBanxasSandbox)
        #expect(try BanxaConfiguration(other).apiBase == "https://localhost:8443")
        let mapping = BanxaMapping(statusMap: try BanxaScene.map(), surface: .v2, isBanxasSandbox: true)
        let complete = try mapping.map(try JSONDocument(BanxaScene.purchase).root)
        let expired = try mapping.map(try JSONDocument(BanxaScene.sale).root)
        #expect(!complete.flags.contains("event_expected") && expired.flags.contains("event_expected"))
    }
}
