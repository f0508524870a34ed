package import HTTP
package import JSON
package import Payments

/// One payment provider as this program sees it: what it declares about itself and the capabilities it has. A
/// capability it lacks is nil, never a stub. Providers read no clock, no environment and no database.
package protocol Provider: Sendable {
    /// The name in the catalogue and in configurations, e.g. `meld`.
    static var name: String { get }
    /// Goes up when the mapping reads a field differently: what is stored is then read again from the kept bytes.
    static var mappingVersion: Int { get }
    var declaration: Declaration { get }
    /// The payments themselves: resource `transaction`.
    var payments: Resource { get }
    /// What else is polled (refunds, disputes, settlement lines, payouts, a second view of payments), in the order in
    /// which it is read, after the payments.
    var others: [Resource] { get }
    var webhooks: (any WebhookScheme)? { get }
    /// A list of past events; nil: none can be fetched.
    var events: (any EventLister)? { get }
    /// A small request that only right credentials are answered well; nil: there is none.
    var probe: HTTPRequest? { get }
    /// Options that are part of the addresses that are asked: where one is wrong, nothing is there.
    var addressOptions: [String] { get }
    /// Whether an answer means that the credentials are refused.
    func refusesCredentials(_ response: HTTPResponse) -> Bool
    /// Proves to the provider who asks, anew for each attempt; nil: what `request` returns is all.
    var signer: (any RequestSigner)? { get }
}

extension Provider {
    package var others: [Resource] { [] }
    package var events: (any EventLister)? { nil }
    package var signer: (any RequestSigner)? { nil }
    package var addressOptions: [String] { [] }
    package var probe: HTTPRequest? { payments.lister?.request(for: PageAsk(from: nil, to: nil, limit: 1)) }
    package func refusesCredentials(_ response: HTTPResponse) -> Bool { [401, 403].contains(response.status) }

    /// Everything that is polled, in the order in which it is read.
    package var resources: [Resource] { [payments] + others }

    /// Nil: it has no such resource.
    package func resource(named name: String) -> Resource? { resources.first { $0.name == name } }
}

/// One kind of record that a provider shows, and the ways to it. A way that does not exist is nil.
package struct Resource: Sendable {
    package let mapping: any ElementMapping
    package let lister: (any Lister)?
    package let reader: (any SingleReader)?

    package init(mapping: any ElementMapping, lister: (any Lister)? = nil, reader: (any SingleReader)? = nil) {
        self.mapping = mapping
        self.lister = lister
        self.reader = reader
    }

    /// `transaction`, `refund`, …
    package var name: String { mapping.resource }
}

/// What can be read of an element before it is mapped; enough to compare it with what is stored.
package struct RowIdentity: Sendable, Hashable {
    /// The record's id; nil where it could not be read.
    package var id: String?
    package var createdAt: Timestamp?
    /// It belongs to somebody else: counted and not stored.
    package var isStranger: Bool

    package init(id: String?, createdAt: Timestamp?, isStranger: Bool = false) {
        self.id = id
        self.createdAt = createdAt
        self.isStranger = isStranger
    }
}

/// How one kind of element is cut, compared and mapped.
package protocol ElementMapping: Sendable {
    /// `transaction`, `refund`, …
    var resource: String { get }
    /// Cuts secret and personal fields: what remains is kept as evidence, and maps to the same row as the original does.
    var redaction: Redaction { get }
    /// Cuts volatile fields as well: equal remains mean an unchanged element.
    var comparison: Redaction { get }
    /// Paths that the mapping knows; others are counted as unknown fields.
    var known: KnownPaths { get }
    func identity(of element: JSONValue) -> RowIdentity
    func map(_ element: JSONValue) throws(RowFault) -> MappedTransaction
}

/// One page as a provider answered it.
package struct ProviderPage: Sendable {
    package var elements: [JSONValue]
    package var identities: [RowIdentity]
    package var facts: PageFacts

    package init(elements: [JSONValue], identities: [RowIdentity], facts: PageFacts) {
        self.elements = elements
        self.identities = identities
        self.facts = facts
    }
}

/// One delivery of a webhook, byte for byte.
package struct WebhookDelivery: Sendable {
    package var receivedAt: Timestamp
    /// The public URL it was sent to: part of what some schemes sign.
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(receivedAt: Timestamp, url: String, headers: [(name: String, value: String)], body: [UInt8]) {
        self.receivedAt = receivedAt
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The first value of a header, its name compared without case.
    package func header(_ name: String) -> String? {
        for header in headers where Self.isSame(header.name, name) { return header.value }
        return nil
    }

    /// Names of headers are ASCII.
    private static func isSame(_ a: String, _ b: String) -> Bool {
        guard a.utf8.count == b.utf8.count else { return false }
        return zip(a.utf8, b.utf8).allSatisfy { x, y in x == y || (x ^ y == 0x20 && (97...122).contains(x | 0x20)) }
    }
}

/// What a signature check said, and by which key.
package struct SignatureCheck: Sendable, Hashable {
    package var verdict: Verdict
    /// Names the key that verified it; nil unless valid or stale.
    package var keyFingerprint: String?
    /// How it was signed.
    package var form: SignatureForm

    package init(_ verdict: Verdict, keyFingerprint: String? = nil, form: SignatureForm = .only) {
        self.verdict = verdict
        self.keyFingerprint = keyFingerprint
        self.form = form
    }
}

/// Which of several documented ways a delivery was signed in.
package struct SignatureForm: Sendable, Hashable {
    /// The flag that tells of it; nil: it is the way that is expected, or there is no other.
    package let flag: String?

    /// Of every such flag: it is the check's and not the body's, so that it stays when the body is read again.
    package static let flagPrefix = "signed_"

    private init(flag: String?) { self.flag = flag }

    package static let only = SignatureForm(flag: nil)

    package static func named(_ word: String) -> SignatureForm { SignatureForm(flag: flagPrefix + word) }
}

/// How a provider signs its webhooks and what their bodies say.
package protocol WebhookScheme: Sendable {
    /// Lower-case names of the headers a signature needs: all that is stored of the headers.
    var signatureHeaders: [String] { get }
    /// What is stored of such a header: less what is a credential, and still enough for the check.
    func kept(header name: String, _ value: String) -> String
    /// A body that is no JSON and of a form that the provider is known to send, as JSON; nil: it is not.
    func readable(_ body: [UInt8]) -> [UInt8]?
    /// Cuts secret and personal fields of a body; `kind` is the event's type, as the body gives it. What remains reads as
    /// the same event.
    func redaction(ofKind kind: String?) -> Redaction
    /// Kinds of references by which an event that names no transaction finds the one it is about among those stored, the
    /// surest first.
    var transactionKinds: [String] { get }
    /// Names the source's secrets without giving them away, newest first.
    var keyFingerprints: [String] { get }
    /// Checks the signature over the exact bytes against the source's secrets and then `others` (of the payment, where
    /// each has its own), judged at `receivedAt`.
    func check(_ delivery: WebhookDelivery, also others: [Secret]) -> SignatureCheck
    /// Reads the body, which is parsed in `root`. `bodyDigest` is its SHA-256: the event's key where the body names none.
    func event(_ delivery: WebhookDelivery, root: JSONValue, bodyDigest: [UInt8]) throws(RowFault) -> MappedEvent
}

extension WebhookScheme {
    package var transactionKinds: [String] { [] }
    package func kept(header name: String, _ value: String) -> String { value }
    package func readable(_ body: [UInt8]) -> [UInt8]? { nil }

    /// The body's JSON. Throws a `RowFault` where it is none.
    package func json(of body: [UInt8]) throws(RowFault) -> JSONValue {
        do throws(JSONFault) {
            return try JSONDocument(body, unreadable: .mark).root
        } catch {
            if let form = readable(body), let document = try? JSONDocument(form, unreadable: .mark) {
                return document.root
            }
            throw RowFault("no JSON: \(error)")
        }
    }

    /// Checks against the source's secrets alone.
    package func check(_ delivery: WebhookDelivery) -> SignatureCheck { check(delivery, also: []) }

    /// Parses the body and reads it. Throws a `RowFault` where it is no event.
    package func event(_ delivery: WebhookDelivery, bodyDigest: [UInt8]) throws(RowFault) -> MappedEvent {
        try event(delivery, root: try json(of: delivery.body), bodyDigest: bodyDigest)
    }
}
