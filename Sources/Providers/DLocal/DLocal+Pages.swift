package import HTTP
import JSON
import Payments

/// Reads one kind of object by id, and payments by the merchant's order id as well: the order names its payment, which is
/// read instead. There is no list of anything.
package struct DLocalPages: SingleReader {
    let configuration: DLocalConfiguration
    let kind: DLocalKind

    /// 404: not known. 400: a digest that does not fit, or an id that is none; each answer says which.
    package var expectedStatuses: Set<Int> { [400, 404] }
    package var keys: Set<ReadKey> { kind == .payment ? [.id, .order] : [.id] }
    package var idKinds: [String] { [kind.idKind] }

    package func request(for ask: ReadAsk) -> HTTPRequest? {
        if let id = ask.id { return Self.request("/\(kind.path)/\(URLText.escape(id))", configuration) }
        guard kind == .payment, let order = ask.reference("book:order") else { return nil }
        return Self.request("/orders/\(URLText.escape(order))", configuration)
    }

    static func request(_ path: String, _ configuration: DLocalConfiguration) -> HTTPRequest {
        HTTPRequest(
            url: configuration.apiBase + path,
            headers: [
                ("X-Version", configuration.version), ("Content-Type", "application/json"),
                ("Accept", "application/json"), ("User-Agent", "tieout"),
            ],
            secretHeaders: [("X-Login", configuration.login), ("X-Trans-Key", configuration.transKey)])
    }

    package func answer(from response: HTTPResponse, to ask: ReadAsk) throws(ProviderFault) -> SingleAnswer {
        // Whoever asks by an order may know the payment's id as well: a settlement line, whose id may be another one.
        let otherwise: SingleAnswer =
            if ask.id == nil, let id = ask.reference("dlocal:transaction") {
                .readInstead(ReadAsk(id: id))
            } else {
                .elements([])
            }
        guard (200...299).contains(response.status) else {
            let refusal = DLocalRefusal(response)
            if refusal.isOfUnknownRecord { return otherwise }
            throw .refused(status: response.status, code: refusal.code.map { String($0) })
        }
        let root = try Answer.json(response)
        guard root.isObject else { throw .unreadable("no object") }
        if ask.id != nil {
            guard root["id"] != nil else { throw .unreadable("no \(kind.rawValue)") }
            return .elements([root])
        }
        // Another order's payment must not be taken for this one's.
        guard let order = ask.reference("book:order"), root["order_id"]?.scalarText == order else {
            throw .unreadable("another order than the one asked for")
        }
        let named = root["payment_id"]
        guard named?.isNull != false || named?.scalarText != nil else {
            throw .unreadable("`payment_id` is no text")
        }
        // An order may have no payment yet.
        guard let id = Reference("dlocal:transaction", named?.scalarText)?.value else { return otherwise }
        return .readInstead(ReadAsk(id: id))
    }
}

/// An answer other than 2xx: `{"code":4000,"message":…,"param":…}`.
struct DLocalRefusal {
    let status: Int
    /// Nil: no object with a code, such as the plain text that an unrouted path is answered with.
    let code: Int?
    private let param: String?
    private let isOfObject: Bool

    init(_ response: HTTPResponse) {
        status = response.status
        let root = try? JSONDocument(response.body.bytes).root
        isOfObject = root?.isObject == true
        code = Answer.count(root?["code"])
        param = root?["param"]?.string?.lowercased()
    }

    /// Headers that a refusal for lack of credentials names.
    private static let credentials: Set<String> = [
        "x-login", "x-date", "x-trans-key", "authorization", "key", "signature",
    ]

    var isOfCredentials: Bool {
        switch (status, code) {
        case (401, _), (403, _), (400, 5000): true
        // A missing X-Trans-Key is told without naming it.
        case (400, 5001): param.map { Self.credentials.contains($0) } ?? true
        default: false
        }
    }

    /// 4000: payment, order and chargeback, 4001: refund. An id that is none is unknown as well. The plain text of an
    /// unrouted path says nothing about the record.
    var isOfUnknownRecord: Bool {
        switch (status, code) {
        case (404, _): isOfObject && code != nil
        case (400, 5001): !isOfCredentials
        default: false
        }
    }
}
