import Crypto
import HTTP
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Meld")
struct MeldTests {
    static func meld(secrets: [String] = []) throws -> Meld {
        let configuration = try MeldConfiguration(
            ProviderOptions(
                environment: "sandbox", apiKey: Secret("W1fakeKeyId:fakeSecret01"),
                webhookSecrets: secrets.map { Secret($0) }))
        return Meld(configuration: configuration, statusMap: try Maps.meld(), currencies: try Maps.currencies())
    }

    static func map(_ members: String) throws -> MappedTransaction {
        let base = #"{"id":"W1","createdAt":"2026-08-10T12:00:04.118392Z","updatedAt":"2026-08-10T12:06:41Z""#
        return try meld().payments.mapping.map(try JSONDocument(base + "," + members + "}").root)
    }

    @Test("the key is sent raw behind the word BASIC, with the pinned version; only documented names are asked")
    func request() throws {
        let lister = try #require(try Self.meld().payments.lister)
        let request = lister.request(
            for: PageAsk(from: Timestamp("2026-07-30T12:00:00Z"), to: nil, cursor: "a/b+", edge: .before, limit: 100))
        #expect(request.secretHeaders.first?.value.reveal() == "BASIC W1fakeKeyId:fakeSecret01")
        #expect(request.headers.contains { $0.name == "Meld-Version" && $0.value == "2026-05-01" })
        let url = "https://api-sb.meld.io/payments/transactions?limit=100&from=2026-07-30T12%3A00%3A00&before=a%2Fb%2B"
        #expect(request.url == url)
    }

    @Test(
        "who carries a payment out is named as the catalogue names it, so that the provider's own row is its second view",
        arguments: [("MERCURYO", "mercuryo"), ("BANXA", "banxa"), ("STRIPE", "stripe"), ("COINBASEPAY", "coinbase")])
    func carriers(word: String, name: String) throws {
        let row = try Self.map(
            #""status":"SETTLED","serviceProvider":"\#(word)","serviceTransactionId":"X1""#)
        #expect(row.provider == word)
        #expect(row.referenceTexts.contains("\(name):transaction=X1"))
        #expect(try Self.meld().declaration.catalogueName(of: word) == name)
    }

    @Test("case 26: an event of test mode says nothing of money, whatever its status")
    func playMoney() throws {
        var event = MappedEvent(eventKey: "E")
        event.reading = try Maps.meld().reading("SETTLED", .init(direction: .in))
        #expect(event.money == .delivered)
        event.isTest = true
        #expect(event.money == nil)
    }

    @Test("a page is read wrapped and bare; a refused position is told from a refused request")
    func pages() throws {
        let lister = try #require(try Self.meld().payments.lister)
        let rows = #"[{"id":"W1","createdAt":"2026-08-10T12:00:00Z","key":"k1"},{"id":"W2","key":"k2"}]"#
        let ask = PageAsk(from: nil, to: nil, limit: 100)
        func response(_ status: Int, _ text: String) -> HTTPResponse {
            HTTPResponse(status: status, headers: HTTPHeaders([]), body: HTTPBody(Array(text.utf8)))
        }
        let wrapped = try lister.page(
            from: response(200, #"{"transactions":\#(rows),"count":2,"remaining":3,"totalCount":5}"#), to: ask)
        #expect(wrapped.facts.next == "k2")
        #expect(wrapped.facts.remaining == 3)
        #expect(wrapped.facts.total == 5)
        #expect(try lister.page(from: response(200, rows), to: ask).facts.rows.map(\.id) == ["W1", "W2"])
        var behind = ask
        behind.cursor = "k2"
        #expect(throws: ProviderFault.cursorRejected) { try lister.page(from: response(400, "{}"), to: behind) }
        #expect(throws: ProviderFault.refused(status: 400, code: "BAD_REQUEST")) {
            try lister.page(from: response(400, #"{"code":"BAD_REQUEST"}"#), to: ask)
        }
        #expect(throws: ProviderFault.self) { try lister.page(from: response(200, "{\"transactions\":[{"), to: ask) }
        let reader = try #require(try Self.meld().payments.reader)
        func ids(_ status: Int, _ body: String) throws -> [String] {
            guard case .elements(let elements) = try reader.answer(from: response(status, body), to: ReadAsk(id: "W1"))
            else { return ["another one"] }
            return elements.compactMap { $0["id"]?.string }
        }
        #expect(try ids(404, "") == [])
        #expect(try ids(400, #"{"code":"TRANSACTION_INVALID_ID"}"#) == [])
        #expect(try ids(200, #"{"transaction":{"id":"W1"}}"#) == ["W1"])
        #expect(try ids(200, #"{"id":"W1"}"#) == ["W1"])
        #expect(throws: ProviderFault.self) { try ids(400, #"{"code":"BAD_REQUEST"}"#) }
    }

    @Test("maps a purchase field by field; amounts are the source's digits, a null fee is not known")
    func purchase() throws {
        let mapped = try Self.map(
            """
            "transactionType":"CRYPTO_PURCHASE","status":"SETTLED","sourceAmount":100.00,"sourceCurrencyCode":"EUR",
            "destinationAmount":0.00153412,"destinationCurrencyCode":"BTC","serviceProvider":"MERCURYO",
            "serviceTransactionId":"0f3e","orderId":"Wo","sessionId":"Ws","externalSessionId":"A-17",
            "customer":{"id":"C1","externalId":"user-42"},"countryCode":"FR","paymentMethodType":"APPLE_PAY",
            "cryptoDetails":{"destinationWalletAddress":"bc1q","networkFee":0.42,"transactionFee":3.20,"partnerFee":1e0,
            "swapFee":null,"totalFee":4.62,"blockchainTransactionId":"b3c1"}
            """)
        #expect(mapped.charged?.description == "100")
        #expect(mapped.delivered?.description == "0.00153412")
        #expect(mapped.feeTotal?.description == "4.62")
        #expect(mapped.feeOther == nil)
        #expect(mapped.feeCurrency == "EUR")
        #expect(mapped.customerID == "user-42")
        #expect(mapped.walletAddress == "bc1q")
        #expect(mapped.money == .delivered)
        #expect(mapped.flagTexts == ["event_expected"])
        #expect(mapped.unmappedPaths == [])
        #expect(
            mapped.referenceTexts == [
                "book:order=A-17", "chain:tx=b3c1", "meld:external_session=A-17", "meld:order=Wo", "meld:session=Ws",
                "meld:transaction=W1", "mercuryo:transaction=0f3e",
            ])
    }

    @Test("a sale without a type is told by its crypto source, and its fees are in the fiat it pays out")
    func sale() throws {
        let mapped = try Self.map(
            #""status":"SETTLED","sourceAmount":0.5,"sourceCurrencyCode":"ETH","destinationAmount":900,"destinationCurrencyCode":"USD","cryptoDetails":{"totalFee":9,"transactionFee":8}"#
        )
        #expect(mapped.direction == .out)
        #expect(mapped.feeCurrency == "USD")
        #expect(mapped.flags.contains("type_missing"))
        #expect(mapped.flags.contains("fee_sum_differs"))
        #expect(try Self.map(#""status":"SETTLED","sourceCurrencyCode":"EUR""#).direction == .in)
    }

    @Test("a failure with a captured amount has money in it; its twin without has none")
    func captured() throws {
        let head = #""transactionType":"CRYPTO_PURCHASE","status":"FAILED""#
        #expect(try Self.map(head + #","paymentDetails":{"captureAmount":5}"#).money == .taken)
        #expect(try Self.map(head + #","paymentDetails":{"captureAmount":0}"#).money == .none)
    }

    @Test("case 16: a changed type names path and types, and the id and references stay readable")
    func typeChanged() throws {
        do {
            _ = try Self.map(#""status":"SETTLED","orderId":"Wo","cryptoDetails":{"totalFee":{"amount":30}}"#)
            Issue.record("a fault expected")
        } catch let fault as RowFault {
            #expect(fault.reason == "type_changed: cryptoDetails.totalFee number->object")
            #expect(fault.recordID == "W1")
            #expect(fault.references.map(\.description).contains("meld:order=Wo"))
        }
    }

    @Test("volatile members do not change the comparison, others do; personal data is not kept")
    func comparison() throws {
        let mapping = try Self.meld().payments.mapping
        func hash(_ text: String) throws -> [UInt8] { RawHash.of(try JSONDocument(text).root, mapping) }
        let one = try hash(#"{"id":"W1","key":"a","fiatAmountInUsd":1}"#)
        #expect(one == (try hash(#"{"id":"W1","key":"b","fiatAmountInUsd":2}"#)))
        #expect(one != (try hash(#"{"id":"W2","key":"a","fiatAmountInUsd":1}"#)))
        let personal =
            #"{"id":"W1","customer":{"id":"C","email":"e","name":{"firstName":"F"}},"serviceProviderDetails":{"card":"4111","status":"paid"}}"#
        let kept = String(decoding: mapping.redaction.kept(try JSONDocument(personal).root).bytes, as: UTF8.self)
        #expect(!kept.contains("4111") && !kept.contains("firstName") && !kept.contains("email"))
        #expect(kept.contains("\"paid\"") && kept.contains("\"C\""))
    }

    static let url = "https://example.meld.io/webhooks"
    static let body =
        #"{"eventType":"WEBHOOK_TEST","eventId":"GDtv8pQgwzc9HuFFBQFrww","timestamp":"2022-05-26T20:23:45.908400Z","accountId":"W9jpQc1HKvwscqMPcLmzUS","profileId":null,"version":"2021-10-27","payload":{"requestId":"7aWW1GXTjWCCtNubzvVX7V"}}"#

    static func delivery(_ body: String = body, url: String = url) -> WebhookDelivery {
        WebhookDelivery(
            receivedAt: Timestamp(seconds: 1_653_596_717), url: url,
            headers: [
                ("Meld-Signature", "O4bN5E0U9s88l2DFc0kjt-0w3LLA3Zkv8hXhafc22Hg="),
                ("MELD-SIGNATURE-TIMESTAMP", "2022-05-26T20:25:17.682818Z"),
            ], body: Array(body.utf8))
    }

    @Test("case 24: the provider's own sample verifies over the raw bytes, with any of several secrets; changes do not")
    func signature() throws {
        let secret = "42m4NMLS34WQ6BbMfo1KFKqMv4hy"
        let scheme = try #require(try Self.meld(secrets: ["an-old-one", secret]).webhooks)
        let check = scheme.check(Self.delivery())
        #expect(check == SignatureCheck(.valid, keyFingerprint: Secret(secret).fingerprint))
        #expect(scheme.check(Self.delivery(Self.body + " ")).verdict == .invalid)
        #expect(scheme.check(Self.delivery(url: Self.url + "/")).verdict == .invalid)
        var bare = Self.delivery()
        bare.headers = []
        #expect(scheme.check(bare).verdict == .unsigned)
        let keyless = try #require(try Self.meld().webhooks)
        #expect(keyless.check(Self.delivery()).verdict == .noKey)
    }

    @Test("an event maps its status at its own time; test events are marked; the profile is part of the key")
    func events() throws {
        let scheme = try #require(try Self.meld().webhooks)
        let test = try scheme.event(Self.delivery(), bodyDigest: [1])
        #expect(test.isTest)
        #expect(test.reading == nil)
        #expect(test.eventKey == "GDtv8pQgwzc9HuFFBQFrww")
        let text =
            #"{"eventType":"TRANSACTION_CRYPTO_FAILED","eventId":"E","timestamp":"2026-08-10T12:06:41.95Z","profileId":"P","payload":{"paymentTransactionId":"W1","transactionType":"CRYPTO_PURCHASE","paymentTransactionStatus":"REFUNDED","headlessOrderId":"Wo"}}"#
        let event = try scheme.event(Self.delivery(text), bodyDigest: [1])
        #expect(event.eventKey == "P/E")
        #expect(event.reading?.state == .refunded)
        #expect(event.eventTime == Timestamp("2026-08-10T12:06:41.95Z"))
        #expect(event.referenceTexts == ["meld:order=Wo", "meld:transaction=W1"])
        #expect(try scheme.event(Self.delivery("{}"), bodyDigest: [0xAB]).eventKey == "ab")
    }
}
