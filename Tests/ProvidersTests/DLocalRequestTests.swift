import HTTP
import JSON
import Payments
import Testing

@testable import Providers

@Suite("dLocal's requests and answers")
struct DLocalRequestTests {
    typealias F = DLocalFixture

    private func reader(_ resource: String) throws -> any SingleReader {
        try #require(F.part(resource).reader)
    }

    @Test("nothing is listed; each kind is read by its id, a payment by the book's order id as well")
    func urls() throws {
        #expect(try F.provider().resources.allSatisfy { $0.lister == nil })
        #expect(try F.provider().resources.map(\.name) == ["transaction", "refund", "dispute"])
        for (resource, path) in [("transaction", "payments"), ("refund", "refunds"), ("dispute", "chargebacks")] {
            let reader = try reader(resource)
            #expect(reader.request(for: ReadAsk(id: "T/1 a"))?.url == "https://sandbox.dlocal.com/\(path)/T%2F1%20a")
            #expect(reader.idKinds == ["dlocal:\(resource)"])
        }
        let order = ReadAsk(id: nil, references: [Reference("book:order", "A/1")].compactMap(\.self))
        #expect(try reader("transaction").request(for: order)?.url == "https://sandbox.dlocal.com/orders/A%2F1")
        #expect(try reader("refund").request(for: order) == nil)
        #expect(try reader("transaction").request(for: ReadAsk(id: nil)) == nil)
        #expect(try reader("transaction").keys == [.id, .order])
        #expect(try reader("dispute").keys == [.id])
    }

    @Test("each attempt is signed over login, date and body, as the sheet's vectors are")
    func signing() throws {
        let signer = try #require(try F.provider().signer)
        let moment = SigningMoment(
            now: Timestamp(seconds: 1_785_499_200), uniqueMilliseconds: 1, random: [])
        let bare = try reader("transaction").request(for: ReadAsk(id: "T-4-1f0c"))
        var request = try #require(bare)
        func signature(_ request: HTTPRequest) throws -> String? {
            try signer.sign(request, at: moment).secretHeaders.last { $0.name == "Authorization" }?.value.reveal()
        }
        #expect(
            try signature(request)
                == "V2-HMAC-SHA256, Signature: 47cf90533bbbd0f4de46f63030a852777aec4a9a0f6cd5d050576880c3e8a582")
        request.body = Array(#"{"id":"T-4-1f0c","amount":120.00,"status":"PAID"}"#.utf8)
        #expect(
            try signature(request)
                == "V2-HMAC-SHA256, Signature: b8b1eb9afdff02d998c0bb6e578cf0321bf6ecc096bd098e125833fbb28150cf")
        let signed = try signer.sign(request, at: moment)
        func header(_ name: String) -> String? { signed.headers.first { $0.name == name }?.value }
        #expect(header("X-Date") == "2026-07-31T12:00:00.000Z")
        #expect(header("X-Version") == "2.1")
        #expect(header("Content-Type") == "application/json")
        #expect(header("User-Agent")?.isEmpty == false)
        let secret = Dictionary(uniqueKeysWithValues: signed.secretHeaders.map { ($0.name, $0.value.reveal()) })
        #expect(secret["X-Login"] == "sandboxLogin01")
        #expect(secret["X-Trans-Key"] == "transKey01")
        #expect(!signed.secretHeaders.contains { $0.value.reveal() == "dlocal-secret-0001" })
    }

    @Test("a date has milliseconds, also before 1970 and behind whole seconds")
    func signingDates() throws {
        #expect(DLocalSigner.date(Timestamp(microseconds: 1_785_499_200_629_999)) == "2026-07-31T12:00:00.629Z")
        #expect(DLocalSigner.date(Timestamp(microseconds: 7000)) == "1970-01-01T00:00:00.007Z")
        #expect(DLocalSigner.date(Timestamp(microseconds: -1000)) == "1969-12-31T23:59:59.999Z")
    }

    @Test("an order names its payment, which is read instead; one without a payment has none yet")
    func orders() throws {
        let reader = try reader("transaction")
        let ask = ReadAsk(id: nil, references: [Reference("book:order", "ORDER_12346")].compactMap(\.self))
        guard case .readInstead(let next) = try reader.answer(from: F.response(200, F.order), to: ask) else {
            Issue.record("another answer than the payment's id")
            return
        }
        #expect(next.id == "T-648-9d0f1c2b-3333-4d2f-9e11-1b0c9d8e7f60")
        for none in [#""payment_id":null"#, #""payment_id":"""#, #""other":1"#] {
            let text = #"{"order_id":"ORDER_12346",\#(none),"status":"PENDING"}"#
            #expect(try elements(reader.answer(from: F.response(200, text), to: ask)) == [])
        }
        #expect(throws: ProviderFault.self) {
            try reader.answer(from: F.response(200, #"{"order_id":"ORDER_1","payment_id":"T"}"#), to: ask)
        }
        #expect(throws: ProviderFault.self) {
            try reader.answer(from: F.response(200, #"{"order_id":"ORDER_12346","payment_id":{}}"#), to: ask)
        }
    }

    @Test("unknown records are told from refused requests and from paths that lead nowhere")
    func unknown() throws {
        let ask = ReadAsk(id: "T-1")
        for (resource, code) in [("transaction", 4000), ("refund", 4001), ("dispute", 4000)] {
            let reader = try reader(resource)
            let answer = F.response(404, #"{"code":\#(code),"message":"not found"}"#)
            #expect(try elements(reader.answer(from: answer, to: ask)) == [])
            let invalid = F.response(400, #"{"code":5001,"message":"Invalid parameter","param":"payment_id"}"#)
            #expect(try elements(reader.answer(from: invalid, to: ask)) == [])
            #expect(throws: ProviderFault.refused(status: 404, code: nil)) {
                try reader.answer(from: F.response(404, "NOT_FOUND"), to: ask)
            }
            #expect(throws: ProviderFault.refused(status: 400, code: "5000")) {
                try reader.answer(from: F.response(400, #"{"code":5000,"message":"Signature not match"}"#), to: ask)
            }
            #expect(throws: ProviderFault.self) { try reader.answer(from: F.response(200, "[]"), to: ask) }
            #expect(throws: ProviderFault.self) { try reader.answer(from: F.response(200, "{}"), to: ask) }
            #expect(throws: ProviderFault.self) { try reader.answer(from: F.response(200, "{"), to: ask) }
            #expect(try elements(reader.answer(from: F.response(200, #"{"id":"T-1"}"#), to: ask)) == ["T-1"])
        }
    }

    @Test("refused credentials are told by 403, and by 400 with the codes of signature and headers")
    func credentials() throws {
        let provider = try F.provider()
        for (status, text, refused) in [
            (400, #"{"code":5001,"message":"Invalid parameter","param":"X-Date"}"#, true),
            (400, #"{"code":5001,"message":"Missing parameter(s) [or non valid values]. key"}"#, true),
            (400, #"{"code":5000,"message":"Signature not match"}"#, true),
            (403, #"{"code":3001,"message":"Invalid credentials"}"#, true), (403, "", true), (401, "{}", true),
            (400, #"{"code":5001,"message":"Invalid parameter","param":"country"}"#, false),
            (400, #"{"code":5003}"#, false), (404, #"{"code":4000}"#, false), (404, "NOT_FOUND", false),
            (504, #"{"code":5010}"#, false), (400, #"{"code":5010}"#, false), (200, "[]", false),
        ] { #expect(provider.refusesCredentials(F.response(status, text)) == refused, "\(status) \(text)") }
        #expect(provider.probe?.url == "https://sandbox.dlocal.com/payments-methods?country=BR")
    }

    @Test("each mistake in the configuration is named; hosts follow the environment")
    func configuration() throws {
        func fault(
            key: String? = "l", secrets: [String: Secret] = F.secrets, options: [String: String] = [:],
            environment: String = "live"
        ) -> String? {
            do {
                _ = try DLocalConfiguration(
                    ProviderOptions(
                        environment: environment, apiKey: key.map { Secret($0) }, secrets: secrets, options: options))
                return nil
            } catch { return error.description }
        }
        #expect(fault() == nil)
        #expect(fault(key: nil)?.contains("API key is needed: the X-Login") == true)
        #expect(fault(key: "a b")?.contains("blanks") == true)
        #expect(fault(secrets: ["secret_key": Secret("k")])?.contains("trans_key") == true)
        #expect(fault(secrets: ["trans_key": Secret("k")])?.contains("secret_key") == true)
        #expect(fault(secrets: ["trans_key": Secret("k"), "secret_key": Secret("k\n")])?.contains("blanks") == true)
        #expect(fault(secrets: ["trans_key": Secret("k\n"), "secret_key": Secret("k")])?.contains("blanks") == true)
        #expect(fault(options: ["probe_country": "br"])?.contains("probe_country") == true)
        #expect(fault(options: ["user_reference": "yes"])?.contains("user_reference") == true)
        #expect(fault(options: ["api_version": "2 1"])?.contains("api_version") == true)
        #expect(fault(environment: "test")?.contains("neither live nor sandbox") == true)
        func base(_ environment: String, _ base: String? = nil) throws -> String {
            try DLocalConfiguration(
                ProviderOptions(environment: environment, apiBase: base, apiKey: Secret("l"), secrets: F.secrets)
            ).apiBase
        }
        #expect(try base("live") == "https://api.dlocal.com")
        #expect(try base("sandbox") == "https://sandbox.dlocal.com")
        #expect(try base("sandbox", "https://sandbox-cert.dlocal.com/") == "https://sandbox-cert.dlocal.com")
    }

    private func elements(_ answer: SingleAnswer) -> [String]? {
        guard case .elements(let elements) = answer else { return nil }
        return elements.compactMap { $0["id"]?.scalarText }
    }
}
