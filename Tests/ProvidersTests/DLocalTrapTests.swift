import HTTP
import JSON
import Payments
import Testing

@testable import Providers

/// What the fact sheet warns of, and shapes that nobody documented.
@Suite("dLocal's traps")
struct DLocalTrapTests {
    typealias F = DLocalFixture

    @Test("dates come with +0000, Z and -00:00, and mean the same")
    func dates() throws {
        for date in ["2026-07-30T14:02:11.000+0000", "2026-07-30T14:02:11Z", "2026-07-30T14:02:11.000-00:00"] {
            let row = try F.map(#"{"id":"T","amount":1,"currency":"BRL","status":"PAID","created_date":"\#(date)"}"#)
            #expect(row.createdAt == Timestamp("2026-07-30T14:02:11Z"))
            #expect(row.takenAt == nil)
        }
    }

    @Test("amounts keep the digits of the source, whatever their number, and may be text")
    func amounts() throws {
        for (text, exact) in [("1.00", "1"), ("120", "120"), ("16.75", "16.75"), ("\"1.00\"", "1"), ("0.1", "0.1")] {
            let row = try F.map(
                #"{"id":"T","amount":\#(text),"currency":"USD","status":"PAID","created_date":"2026-07-30T14:02:11Z"}"#)
            #expect(row.charged?.description == exact)
        }
    }

    @Test("status codes are text in payments and numbers in refunds and chargebacks; either is read anywhere")
    func codes() throws {
        let open = #""status":"PENDING","payment_method_type":"CARD","payment_method_flow":"DIRECT""#
        for code in ["\"100\"", "100"] { #expect(try F.payment(open + #","status_code":\#(code)"#).money == .held) }
        for code in ["\"101\"", "101"] { #expect(try F.payment(open + #","status_code":\#(code)"#).money == .none) }
        #expect(try F.map(F.refund.replacing(":200,", with: ":\"200\","), as: "refund").money == .returned)
        #expect(try F.map(F.chargeback.replacing(":200,", with: ":\"200\","), as: "dispute").money == .returned)
    }

    @Test("an empty address, and a month as text, are cut and stop nothing")
    func oddShapes() throws {
        let row = try F.payment(
            #""status":"AUTHORIZED","card":{"expiration_month":"03","expiration_year":"2028","cvv_in_memory":true},"payer":{"address":{"empty":true}},"wallet":{},"three_dsecure":{"cavv":"x"},"acquirer":{"n":1},"recurring_info":{"p":"x"},"callback_url":"https://m.example.com/c","redirect_url":"https://m.example.com/r","description":"302","eci":"05""#
        )
        #expect(row.money == .held)
        #expect(row.unmappedPaths == [])
    }

    @Test("what is missing is named, and so is what has another type")
    func faults() throws {
        let whole = #""id":"T-1","amount":1,"currency":"BRL","status":"PAID","created_date":"2026-07-30T14:02:11Z""#
        _ = try F.map("{\(whole)}")
        for (member, expected) in [
            (#""id":"T-1","#, "missing: id"), (#""amount":1,"#, "missing: amount"),
            (#""currency":"BRL","#, "missing: currency"), (#""status":"PAID","#, "missing: status"),
            (#","created_date":"2026-07-30T14:02:11Z""#, "missing: created_date"),
        ] {
            #expect(reason(of: "{\(whole.replacing(member, with: ""))}") == expected)
        }
        #expect(reason(of: "{\(whole),\"card\":[]}") == "type_changed: card object->array")
        #expect(reason(of: "{\(whole),\"refunds\":{}}") == "type_changed: refunds array->object")
        #expect(reason(of: "{\(whole),\"order_id\":{}}") == "type_changed: order_id string->object")
        #expect(reason(of: "{\(whole.replacing(":1,", with: ":{},"))}") == "type_changed: amount number->object")
        #expect(reason(of: "{\(whole.replacing("2026-07-30T", with: "30/07/2026 "))}") == "created_date: not a time")
        #expect(reason(of: "{\(whole),\"id\":\"T-2\"}") == "a key occurs twice")
        #expect(reason(of: "[]") == "no object")
    }

    @Test("a row that cannot be read still names its payment and its order")
    func faultyReferences() throws {
        do {
            _ = try F.payment(#""status":"PAID","card":7,"order_id":"A-1""#)
            Issue.record("a fault expected")
        } catch let fault as RowFault {
            #expect(fault.recordID == "T-1")
            #expect(fault.references.map(\.description).sorted() == ["book:order=A-1", "dlocal:transaction=T-1"])
        }
    }

    @Test("without a creation the approval dates it; a number as an id is one")
    func lean() throws {
        let row = try F.map(
            #"{"id":17,"amount":0,"currency":"BRL","status":"VERIFIED","approved_date":"2026-07-30T14:02:11Z"}"#)
        #expect(row.transactionID == "17")
        #expect(row.createdAt == Timestamp("2026-07-30T14:02:11Z"))
    }

    @Test("nothing that must not be kept survives, however deep it lies; what tells the card to a person stays")
    func redaction() throws {
        let secret = "SECRET-VALUE"
        let paths = [
            "card.applepay_token", "card.network_token", "card.cryptogram", "card.token", "card.card_id", "card.bin",
            "card.holder_name", "card.expiration_month", "card.expiration_year", "card.cvv_in_memory",
            "card.cryptogram_in_memory", "card.card_merchant_id", "three_dsecure.cavv", "payer.name", "payer.email",
            "payer.document", "payer.phone", "payer.ip", "payer.address.street", "payer.user_reference", "bank_account",
            "bank_branch", "bank", "document_number", "callback_url", "redirect_url", "wallet.token", "wallet.email",
            "refunds.bank_account", "refunds.document_number", "x.deep.card.holder_name", "x.payer.email",
            "x.three_dsecure.x.cavv", "recurring_info.payer_document",
        ]
        for resource in ["transaction", "refund", "dispute"] {
            let named = try F.provider().resource(named: resource)
            let mapping = try #require(named).mapping
            for path in paths {
                let names = path.split(separator: ".")
                for value in ["\"\(secret)\"", "{\"a\":[\"\(secret)\"]}", "[\"\(secret)\"]"] {
                    var text = value
                    for name in names.reversed() { text = "{\"\(name)\":\(text)}" }
                    let kept = mapping.redaction.kept(try F.json(text)).bytes
                    #expect(!String(decoding: kept, as: UTF8.self).contains(secret), "\(resource): \(path)")
                }
            }
        }
        let kept = try F.provider().payments.mapping.redaction.kept(try F.json(F.paid)).bytes
        let text = String(decoding: kept, as: UTF8.self)
        #expect(text.contains("4242") && text.contains("\"VI\"") && text.contains("120.00"))
        #expect(!text.contains("Ricardo") && !text.contains("CV-1111") && !text.contains("merchant.example.com"))
        let scheme = try #require(try F.provider().webhooks)
        #expect(scheme.redaction(ofKind: "payment").kept(try F.json(F.paid)).bytes == kept)
    }

    private func reason(of text: String) -> String? {
        do {
            _ = try F.map(text)
            return nil
        } catch { return (error as? RowFault)?.reason }
    }
}
