import Foundation
import HTTP
import JSON
import Payments
import Testing

@testable import Providers

/// What the suites about dLocal share.
enum DLocalFixture {
    static let secrets = ["secret_key": Secret("dlocal-secret-0001"), "trans_key": Secret("transKey01")]

    static func provider(
        options: [String: String] = [:], webhookSecrets: [String] = []
    ) throws -> DLocal {
        let configuration = try DLocalConfiguration(
            ProviderOptions(
                environment: "sandbox", apiKey: Secret("sandboxLogin01"), secrets: secrets,
                webhookSecrets: webhookSecrets.map { Secret($0) }, options: options))
        return DLocal(configuration: configuration, statusMap: try map())
    }

    static func map() throws -> StatusMap {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let file = here.appending(path: "../../SQL/reference/status_map/dlocal.csv")
        return try StatusMap(csv: try String(contentsOf: file, encoding: .utf8))
    }

    static func json(_ text: String) throws -> JSONValue { try JSONDocument(text).root }

    static func map(_ text: String, as resource: String = "transaction") throws -> MappedTransaction {
        try part(resource).mapping.map(try json(text))
    }

    static func part(_ name: String) throws -> Resource {
        let named = try provider().resource(named: name)
        return try #require(named)
    }

    /// A payment with `members` behind what every payment has.
    static func payment(_ members: String) throws -> MappedTransaction {
        try map(
            #"{"id":"T-1","amount":10.00,"currency":"BRL","created_date":"2026-07-30T14:02:11.000+0000",\#(members)}"#)
    }

    static func response(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: HTTPHeaders([]), body: HTTPBody(Array(text.utf8)))
    }

    static let paid =
        #"{"id":"T-648-0c6e6f0e-1111-4a5b-9c3d-5a1d2e3f4a5b","amount":120.00,"currency":"BRL","payment_method_id":"CARD","payment_method_type":"CARD","payment_method_flow":"DIRECT","country":"BR","card":{"holder_name":"Ricardo Gomes","expiration_month":12,"expiration_year":2028,"brand":"VI","last4":"4242","card_id":"CV-11111111-2222-4333-8444-555555555555"},"created_date":"2026-07-30T14:02:11.000+0000","approved_date":"2026-07-30T14:02:12.000+0000","status":"PAID","status_detail":"The payment was paid.","status_code":"200","order_id":"ORDER_12345","notification_url":"https://merchant.example.com/webhooks/dlocal","refunds":[]}"#
    static let refund =
        #"{"id":"REF-648-7b1d0a52-2222-4c1e-8f00-0a9b8c7d6e5f","payment_id":"T-648-0c6e6f0e-1111-4a5b-9c3d-5a1d2e3f4a5b","id_payment":"T-648-0c6e6f0e-1111-4a5b-9c3d-5a1d2e3f4a5b","amount":20.00,"amount_refunded":20.00,"currency":"BRL","status":"SUCCESS","status_code":200,"status_detail":"The refund was paid.","created_date":"2026-08-01T09:15:00.000+0000","order_id":"ORDER_12345"}"#
    static let order =
        #"{"order_id":"ORDER_12346","payment_id":"T-648-9d0f1c2b-3333-4d2f-9e11-1b0c9d8e7f60","currency":"BRL","amount":75.5,"created_date":"2026-07-30T15:00:00.000+0000","status":"REJECTED","status_code":"312","status_detail":"Card restricted by the bank."}"#
    static let chargeback =
        #"{"id":"CHAR90210","payment_id":"T-648-0c6e6f0e-1111-4a5b-9c3d-5a1d2e3f4a5b","amount":100.00,"currency":"BRL","status":"COMPLETED","status_code":200,"status_detail":"The chargeback was executed.","created_date":"2026-08-20T00:00:00.000+0000","order_id":"ORDER_12345"}"#
}

@Suite("dLocal's objects")
struct DLocalTests {
    typealias F = DLocalFixture

    @Test("the sheet's payment, field by field; nothing in it is unknown")
    func payment() throws {
        let row = try F.map(F.paid)
        #expect(row.resource == "transaction")
        #expect(row.transactionID == "T-648-0c6e6f0e-1111-4a5b-9c3d-5a1d2e3f4a5b")
        #expect(row.createdAt == Timestamp("2026-07-30T14:02:11Z"))
        #expect(row.takenAt == Timestamp("2026-07-30T14:02:12Z"))
        #expect(row.updatedAt == nil)
        #expect(row.direction == .in)
        #expect(row.rawStatus == "PAID")
        #expect(row.money == .taken)
        #expect(row.charged?.description == "120")
        #expect(row.chargedCurrency == "BRL")
        #expect(row.delivered == nil && row.feeTotal == nil && row.returned == nil && row.disputed == nil)
        #expect(row.paymentMethod == "CARD")
        #expect(row.country == "BR")
        #expect(row.customerID == nil)
        #expect(row.parentID == nil)
        #expect(!row.isTest)
        #expect(
            row.referenceTexts == [
                "book:order=ORDER_12345", "dlocal:transaction=T-648-0c6e6f0e-1111-4a5b-9c3d-5a1d2e3f4a5b",
            ])
        #expect(row.flagTexts == ["event_expected"])
        #expect(row.unmappedPaths == [])
    }

    @Test("the sheet's refund: what the user received is returned, about the payment it names")
    func refund() throws {
        let row = try F.map(F.refund, as: "refund")
        #expect(row.resource == "refund")
        #expect(row.parentID == "T-648-0c6e6f0e-1111-4a5b-9c3d-5a1d2e3f4a5b")
        #expect(row.returned?.description == "20")
        #expect(row.charged == nil)
        #expect(row.chargedCurrency == "BRL")
        #expect(row.money == .returned)
        #expect(row.reading.state == .refunded)
        #expect(
            row.referenceTexts == [
                "book:order=ORDER_12345", "dlocal:refund=REF-648-7b1d0a52-2222-4c1e-8f00-0a9b8c7d6e5f",
                "dlocal:transaction=T-648-0c6e6f0e-1111-4a5b-9c3d-5a1d2e3f4a5b",
            ])
        #expect(row.unmappedPaths == [])
    }

    @Test("a refund that was refused received nothing and moves nothing; its amount stays known")
    func refusedRefund() throws {
        let text = F.refund.replacing(#""amount_refunded":20.00"#, with: #""amount_refunded":0.00"#)
        let row = try F.map(text.replacing("SUCCESS", with: "REJECTED"), as: "refund")
        #expect(row.money == .none)
        #expect(row.returned?.description == "20")
        let partial = F.refund.replacing(#""amount_refunded":20.00"#, with: #""amount_refunded":19.50"#)
        #expect(try F.map(partial, as: "refund").returned?.description == "19.5")
        let without = F.refund.replacing(#""amount_refunded":20.00,"#, with: "")
        #expect(try F.map(without, as: "refund").returned?.description == "20")
        let extras =
            #","use_orig_fx":false,"payment_request_amount":1,"payment_request_currency":"USD","transaction_id":"t","document_number":"1","bank":"b","bank_branch":"1","custom_merchant_name":"m"}"#
        let whole = F.refund.replacing(#""ORDER_12345"}"#, with: #""ORDER_12345""# + extras)
        #expect(try F.map(whole, as: "refund").unmappedPaths == [])
    }

    @Test("the sheet's chargeback: its amount is disputed, and gone once it was carried out")
    func chargeback() throws {
        let row = try F.map(F.chargeback, as: "dispute")
        #expect(row.resource == "dispute")
        #expect(row.disputed?.description == "100")
        #expect(row.money == .returned)
        #expect(row.parentID == "T-648-0c6e6f0e-1111-4a5b-9c3d-5a1d2e3f4a5b")
        #expect(row.referenceTexts.contains("dlocal:dispute=CHAR90210"))
        #expect(row.unmappedPaths == [])
        let newer = F.chargeback.replacing(#""order_id":"ORDER_12345""#, with: #""reason_code":"4837","stage":"FIRST""#)
        #expect(try F.map(newer, as: "dispute").unmappedPaths == ["stage"])
    }

    @Test("an Apple Pay payment is an ordinary card payment; that it is one shows only where the card says so")
    func applePay() throws {
        let card = #""status":"PAID","payment_method_type":"CARD""#
        #expect(
            try F.payment(card + #","card":{"wallet_type":"APPLE_PAY","network_token":true}"#).paymentMethod
                == "APPLE_PAY")
        #expect(try F.payment(card + #","card":{"network_token":true}"#).paymentMethod == "CARD")
    }

    @Test("a capture names the authorization it uses up, as its parent and as a reference")
    func capture() throws {
        let row = try F.payment(#""status":"PAID","status_code":"200","authorization_id":"T-0","order_id":"A-1""#)
        #expect(row.parentID == "T-0")
        #expect(
            row.referenceTexts == ["book:order=A-1", "dlocal:transaction=T-0", "dlocal:transaction=T-1"])
        #expect(try F.payment(#""status":"PAID","authorization_id":"T-1""#).parentID == nil)
    }

    @Test("refunds[] names refunds as objects or as bare ids; one without an id is flagged and stops nothing")
    func refunds() throws {
        let named = try F.payment(
            #""status":"PAID","refunds":[{"id":"REF-1","amount":5,"status":"SUCCESS","status_code":200},"REF-2"]"#)
        #expect(named.referenceTexts == ["dlocal:refund=REF-1", "dlocal:refund=REF-2", "dlocal:transaction=T-1"])
        #expect(named.returned == nil)
        #expect(named.money == .taken)
        #expect(named.flagTexts == ["event_expected"])
        #expect(named.unmappedPaths == [])
        #expect(try F.payment(#""status":"PAID","refunds":[{"amount":5}]"#).flagTexts.contains("refund_unnamed"))
        #expect(try F.payment(#""status":"PAID","refunds":null"#).flagTexts == ["event_expected"])
    }

    @Test("only a reference that is declared opaque is kept of the payer, and is the customer")
    func payer() throws {
        let text =
            #"{"id":"T-1","amount":1,"currency":"BRL","created_date":"2026-07-30T14:02:11Z","status":"PAID","payer":{"user_reference":"u-17","name":"Ana"}}"#
        let plain = try F.provider().payments.mapping
        #expect(try plain.map(F.json(text)).customerID == nil)
        #expect(!String(decoding: plain.redaction.kept(try F.json(text)).bytes, as: UTF8.self).contains("u-17"))
        let opaque = try F.provider(options: ["user_reference": "opaque"]).payments.mapping
        #expect(try opaque.map(F.json(text)).customerID == "u-17")
        let kept = String(decoding: opaque.redaction.kept(try F.json(text)).bytes, as: UTF8.self)
        #expect(kept.contains("u-17") && !kept.contains("Ana"))
    }

    @Test("a changed code or brand is news; prose and the order of members are none")
    func news() throws {
        let mapping = try F.provider().payments.mapping
        func hash(_ text: String) throws -> [UInt8] { RawHash.of(try F.json(text), mapping) }
        let one = try hash(F.paid)
        #expect(one == (try hash(F.paid.replacing("The payment was paid.", with: "The payment was paid"))))
        #expect(one != (try hash(F.paid.replacing("120.00", with: "120.01"))))
        #expect(
            try F.payment(#""status":"REJECTED","status_code":"301""#).unmapped
                != F.payment(#""status":"REJECTED","status_code":"302""#).unmapped)
    }
}
