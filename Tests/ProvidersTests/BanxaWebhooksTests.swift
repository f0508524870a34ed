import Crypto
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Banxa's webhooks")
struct BanxaWebhooksTests {
    static let body = #"{"order_id":"0c1d2e3f405162738495a6b7c8d9eafb","status":"FULFILLED"}"#
    static let signature = "4f86ca1ad3892655308b6683cdc9112cf0434028d27218eb0cc9ef201db7aefd"
    static let header = "Bearer pk_demo:\(signature):1796000000789"
    static let native =
        #"{"order_id":"0c1d2e3f405162738495a6b7c8d9eafb","status":"FULFILLED","status_date":"2026-11-05 04:10:08","created_at":"2026-11-05 03:45:00","updated_at":"2026-11-05 04:10:08","internal_reason":"Order has been completed.","external_reason":"Your order is complete.","order_type":"ONRAMP","crypto_coin":"XLM","crypto_blockchain":"XLM","crypto_amount":"1324.51","fiat_currency":"AUD","fiat_amount":"500","asset_price":"0.3741","payment":"500","processing_fee":"2.50","network_fee":"2.00","usd_exchange_rate":"1.52","transaction_hash":"f00dfeed00000000000000000000000000000000000000000000000000000001"}"#
    static let hosted =
        #"{"order_id":"77aa","status":"waitingPayment","status_date":"2026-01-1604:04:21","created_at":"2026-01-16 04:00:00","updated_at":"2026-01-1604:04:21","external_id":"ord-1002","order_type":"BUY","crypto_coin":"BTC","crypto_blockchain":"BTC","crypto_amount":"67.1","fiat_currency":"USD","fiat_amount":"100","asset_price":"1.4903","payment_method":"Apple Pay","processing_fee":"0","network_fee":"0","usd_exchange_rate":"1","transaction_hash":"0","metadata":[]}"#

    private func delivery(
        _ body: String, header: String? = nil, url: String = "https://shop.example.com/hooks/banxa"
    ) -> WebhookDelivery {
        WebhookDelivery(
            receivedAt: Timestamp(seconds: 1_796_000_001), url: url,
            headers: header.map { [("Authorization", $0)] } ?? [], body: Array(body.utf8))
    }

    private func check(
        _ header: String?, body: String = body, url: String = "https://shop.example.com/hooks/banxa",
        keys: [String] = [BanxaScene.secret]
    ) throws -> SignatureCheck {
        let scheme = BanxaWebhooks(secrets: keys.map { Secret($0) }, statusMap: try BanxaScene.map())
        return scheme.check(delivery(body, header: header, url: url))
    }

    private func event(_ body: String) throws -> MappedEvent {
        let scheme = BanxaWebhooks(secrets: [], statusMap: try BanxaScene.map())
        return try scheme.event(delivery(body), bodyDigest: Digest.sha256(Array(body.utf8)))
    }

    // MARK: Signatures

    @Test("the sheet's vector is valid; one byte changed, another key, another path, another nonce are not")
    func signatures() throws {
        #expect(try check(Self.header).verdict == .valid)
        #expect(try check(Self.header).keyFingerprint == Secret(BanxaScene.secret).fingerprint)
        #expect(try check(Self.header, keys: ["new", BanxaScene.secret]).verdict == .valid)
        #expect(try check(Self.header, body: Self.body.replacing("FULFILLED", with: "FULFILLEE")).verdict == .invalid)
        #expect(try check(Self.header, keys: ["other"]).verdict == .invalid)
        #expect(try check(Self.header, url: "https://shop.example.com/hooks/other").verdict == .invalid)
        #expect(try check(Self.header.replacing("789", with: "788")).verdict == .invalid)
        #expect(try check(nil).verdict == .unsigned)
        #expect(try check(Self.header, keys: []).verdict == .noKey)
        for wrong in ["Bearer", "Bearer a", "Bearer a:b", "Basic a:b:c", "a:\(Self.signature):1796000000789"] {
            #expect(try check(wrong).verdict == .invalid)
        }
    }

    @Test(
        "the path of the endpoint is signed with or without its query; a bare path and a host in capitals do not matter"
    )
    func paths() throws {
        #expect(try check(Self.header, url: "https://shop.example.com/hooks/banxa?source=a").verdict == .valid)
        #expect(try check(Self.header, url: "/hooks/banxa").verdict == .valid)
        #expect(try check(Self.header, url: "https://SHOP.example.com:8443/hooks/banxa").verdict == .valid)
        let message = BanxaSignature.message(
            method: "POST", path: "/hooks/banxa?source=a", nonce: "5", body: Array(Self.body.utf8))
        let header = "Bearer k:\(BanxaSignature.make(Secret(BanxaScene.secret), message)):5"
        #expect(try check(header, url: "https://shop.example.com/hooks/banxa?source=a").verdict == .valid)
        #expect(try check(header, url: "https://shop.example.com/hooks/banxa").verdict == .invalid)
    }

    @Test("history never goes stale, and a header is stored without the API key and still proves the delivery")
    func keptHeader() throws {
        let scheme = BanxaWebhooks(secrets: [Secret(BanxaScene.secret)], statusMap: try BanxaScene.map())
        let kept = scheme.kept(header: "authorization", Self.header)
        #expect(!kept.contains("pk_demo"))
        #expect(scheme.check(delivery(Self.body, header: kept)).verdict == .valid)
        #expect(scheme.kept(header: "authorization", kept) == kept)
        #expect(scheme.kept(header: "authorization", "Bearer pk_demo") == "Bearer")
    }

    @Test("without a webhook secret the API secret proves deliveries; with one it does not")
    func secrets() throws {
        let own = try #require(try BanxaScene.banxa(.native).webhooks)
        #expect(own.check(delivery(Self.body, header: Self.header)).verdict == .valid)
        let other = try #require(try BanxaScene.banxa(.native, hooks: ["hook"]).webhooks)
        #expect(other.check(delivery(Self.body, header: Self.header)).verdict == .invalid)
        #expect(
            other.check(delivery(Self.body, header: Self.header), also: [Secret(BanxaScene.secret)]).verdict == .valid)
    }

    // MARK: Bodies

    @Test("a Native body is mapped field by field")
    func nativeBody() throws {
        let event = try event(Self.native)
        #expect(event.eventKey == "0c1d2e3f405162738495a6b7c8d9eafb/FULFILLED/2026-11-05T04:10:08Z")
        #expect(event.transactionID == "0c1d2e3f405162738495a6b7c8d9eafb" && event.rawStatus == "FULFILLED")
        #expect(event.direction == .in && event.eventTime == Timestamp("2026-11-05T04:10:08Z"))
        #expect(event.reading?.money == .delivered && event.reading?.state == .settled)
        #expect(event.flagTexts == [] && event.kind == nil && !event.isTest)
        #expect(
            event.referenceTexts == [
                "banxa:order=0c1d2e3f405162738495a6b7c8d9eafb", "banxa:transaction=0c1d2e3f405162738495a6b7c8d9eafb",
                "chain:tx=f00dfeed00000000000000000000000000000000000000000000000000000001",
            ])
    }

    @Test("a Hosted body too, with a date that lacks its separator; 0 is no hash")
    func hostedBody() throws {
        let event = try event(Self.hosted)
        #expect(event.eventTime == Timestamp("2026-01-16T04:04:21Z"))
        #expect(event.eventKey == "77aa/waitingPayment/2026-01-16T04:04:21Z")
        #expect(event.reading?.money == .held && event.direction == .in)
        #expect(event.referenceTexts == ["banxa:order=77aa", "banxa:transaction=77aa", "book:order=ord-1002"])
        #expect(try self.event(Self.hosted.replacing("BUY", with: "SELL")).direction == .out)
        #expect(try self.event(Self.hosted.replacing("\"ord-1002\"", with: "null")).references.count == 2)
    }

    @Test("an earlier body has no direction, and its money is read so that it holds for either")
    func earlierBody() throws {
        let event = try event(#"{"order_id":"o","status":"paymentReceived","status_date":"2024-03-01 10:00:00"}"#)
        #expect(event.direction == nil && event.reading?.money == .taken)
        let deposit = try self.event(
            #"{"order_id":"o","status":"COIN_DEPOSIT_CONFIRMED","status_date":"2024-03-01 10:00:00"}"#)
        #expect(deposit.direction == nil && deposit.reading?.money == .taken)
    }

    @Test("a body with nothing but the order says nothing about money, whichever quotes it has")
    func legacyBody() throws {
        for body in [#"{"order_id":"fe01"}"#, "{'order_id':'fe01'}", "{ 'order_id' : 'fe01' }\n"] {
            let event = try event(body)
            #expect(event.transactionID == "fe01" && event.rawStatus == nil && event.reading == nil)
            #expect(event.eventKey == Hex.encode(Digest.sha256(Array(body.utf8))))
            #expect(event.referenceTexts == ["banxa:order=fe01", "banxa:transaction=fe01"])
        }
        for body in [
            "{'order_id':'a','status':'complete'}", "{'order_id':'a\"b'}", "{'order_id':''}", "{'id':'a'}",
            "{'order_id':'a'}}", "'order_id'",
        ] {
            #expect(throws: RowFault.self) { try event(body) }
        }
    }

    @Test("single quotes are signed as they were sent")
    func quotesAreSigned() throws {
        let body = "{'order_id':'fe01'}"
        let message = BanxaSignature.message(method: "POST", path: "/hooks/banxa", nonce: "7", body: Array(body.utf8))
        let header = "Bearer k:\(BanxaSignature.make(Secret(BanxaScene.secret), message)):7"
        #expect(try check(header, body: body).verdict == .valid)
        #expect(try check(header, body: #"{"order_id":"fe01"}"#).verdict == .invalid)
    }

    @Test("the same change told twice is one event, another change of the same order is not")
    func keys() throws {
        let one = try event(Self.hosted)
        #expect(
            try event(Self.hosted.replacing("04:04:21", with: " 04:04:21").replacing("  ", with: " ")).eventKey
                == one.eventKey)
        #expect(try event(Self.hosted.replacing("waitingPayment", with: "complete")).eventKey != one.eventKey)
        #expect(try event(Self.hosted.replacing("1604:04:21", with: "1604:04:22")).eventKey != one.eventKey)
    }

    @Test("events about people carry no state of a payment, and keep nothing of them")
    func people() throws {
        let body =
            #"{"identity_reference":"cust-77","status":"BLOCKED","email":"a@b.c","first_name":"A","address":{"street":"S"},"documents":[{"number":"4111"}]}"#
        let event = try event(body)
        #expect(event.transactionID == nil && event.reading == nil && event.rawStatus == nil)
        #expect(event.customerID == "cust-77" && event.flagTexts == ["order_id_missing"])
        let scheme = BanxaWebhooks(secrets: [], statusMap: try BanxaScene.map())
        let kept = String(
            decoding: scheme.redaction(ofKind: nil).kept(try JSONDocument(body).root).bytes, as: UTF8.self)
        for word in ["a@b.c", "street", "4111", "first_name"] { #expect(!kept.contains(word)) }
    }

    @Test("an event keeps whose it is only by an opaque id", arguments: ["identity_reference", "account_reference"])
    func customers(name: String) throws {
        let scheme = BanxaWebhooks(secrets: [], statusMap: try BanxaScene.map())
        for (reference, isKept) in [("cust-77", true), ("jane@example.com", false), ("Jane Doe", false)] {
            let body = #"{"\#(name)":"\#(reference)","status":"BLOCKED"}"#
            #expect(try event(body).customerID == (isKept ? reference : nil))
            let kept = scheme.redaction(ofKind: nil).kept(try JSONDocument(body).root).bytes
            #expect(String(decoding: kept, as: UTF8.self).contains(reference) == isKept)
        }
    }

    @Test("reasons and metadata are not kept; what is kept reads as the same event")
    func keptBody() throws {
        let scheme = BanxaWebhooks(secrets: [], statusMap: try BanxaScene.map())
        for body in [Self.native, Self.hosted] {
            let kept = scheme.redaction(ofKind: nil).kept(try JSONDocument(body).root).bytes
            let text = String(decoding: kept, as: UTF8.self)
            #expect(!text.contains("reason") && !text.contains("metadata"))
            #expect(try event(text) == event(body))
        }
    }

    @Test("a hash on a buy says that the money was taken, whatever became of the order")
    func hash() throws {
        let cancelled = Self.native.replacing("FULFILLED", with: "PAYMENT_CANCELLED")
        #expect(try event(cancelled).reading?.money == .taken)
        #expect(try event(cancelled.replacing("ONRAMP", with: "OFFRAMP")).reading?.money == MoneyState.none)
    }

    @Test("a body that is none, a changed type and a repeated key cost that delivery alone, by its digest")
    func faults() throws {
        let scheme = BanxaWebhooks(secrets: [], statusMap: try BanxaScene.map())
        for body in [
            "[]", #"{"order_id":{"id":"a"}}"#, #"{"order_id":"a","status":["x"]}"#,
            #"{"order_id":"a","status":"b","status_date":"soon"}"#, #"{"order_id":"a","order_id":"b"}"#,
        ] {
            do throws(RowFault) {
                _ = try scheme.event(delivery(body), bodyDigest: Digest.sha256(Array(body.utf8)))
                Issue.record("a fault expected")
            } catch {
                #expect(error.recordID == Hex.encode(Digest.sha256(Array(body.utf8))))
            }
        }
    }
}
