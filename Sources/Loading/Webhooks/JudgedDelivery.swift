import Crypto
import JSON
import Payments
import Providers

/// One delivery, verified over its exact bytes and read.
final class JudgedDelivery: Sendable {
    let receivedAt: Timestamp
    let url: String
    let check: SignatureCheck
    let event: MappedEvent
    /// References and flags as their columns hold them.
    let references: [String]
    let flags: [String]
    let isEvidence: Bool
    let bodyDigest: [UInt8]
    /// The body less the secret and personal fields; empty where it is no evidence, and the exact bytes wait instead.
    let kept: [UInt8]
    let keptDigest: [UInt8]
    /// The exact bytes; empty where they need not wait for a key.
    let body: [UInt8]
    /// Tells deliveries of one event apart, also those received in the same moment.
    let deliveryDigest: [UInt8]
    /// The headers a signature needs, as a JSON object.
    let signatureHeaders: String
    /// Where it was read.
    let place: DeliveryPlace
    /// Read from the provider's own list of events, and not delivered.
    let isFetched: Bool

    /// `root`: the body, parsed. `event`: what the scheme reads in it. Throws a `RowFault` where a text cannot be stored.
    init(
        _ delivery: WebhookDelivery, root: JSONValue, event: MappedEvent, bodyDigest: [UInt8], check: SignatureCheck,
        source: WebhookSource, place: DeliveryPlace
    ) throws(RowFault) {
        if Self.holdsZero(delivery.url) || Self.holdsZero(event) { throw RowFault("a zero byte in a text") }
        receivedAt = delivery.receivedAt
        url = delivery.url
        self.check = check
        self.event = event
        self.bodyDigest = bodyDigest
        self.place = place
        isFetched = false
        references = event.referenceTexts
        var marked = event
        if let flag = check.form.flag { marked.flags.append(flag) }
        flags = marked.flagTexts
        isEvidence = source.counts(check.verdict)
        let cut =
            source.retainsAll ? delivery.body : source.scheme.redaction(ofKind: event.kind).kept(root).bytes
        keptDigest = cut == delivery.body ? bodyDigest : Digest.sha256(cut)
        kept = isEvidence ? cut : []
        body = isEvidence ? [] : delivery.body

        // Each field behind its length in eight bytes; then what was signed.
        var identity: [UInt8] = []
        identity.reserveCapacity(320)
        Self.add(String(delivery.receivedAt.microseconds), to: &identity)
        Self.add(delivery.url, to: &identity)
        var headers: [(name: String, value: String)] = []
        for name in source.signatureHeaders {
            guard var value = delivery.header(name).map({ source.scheme.kept(header: name, $0) }) else { continue }
            // What the database cannot hold is no signature either.
            if Self.holdsZero(value) { value = value.replacing("\0", with: "\u{FFFD}") }
            headers.append((name, value))
            Self.add(name, to: &identity)
            Self.add(value, to: &identity)
        }
        identity += bodyDigest
        signatureHeaders = SignatureHeaders.text(headers)
        deliveryDigest = Digest.short(identity)
    }

    /// An event that was read from the provider's list: the call was authenticated, so it needs no signature. `kept`: its
    /// bytes less what must not be stored; `compared`: and less what changes without meaning. Throws a `RowFault` where a
    /// text cannot be stored.
    init(
        fetched event: MappedEvent, receivedAt: Timestamp, kept: [UInt8], compared: [UInt8],
        place: DeliveryPlace
    ) throws(RowFault) {
        if Self.holdsZero(event) { throw RowFault("a zero byte in a text", recordID: nil) }
        self.receivedAt = receivedAt
        url = ""
        check = SignatureCheck(.valid)
        self.event = event
        references = event.referenceTexts
        var marked = event
        marked.flags.append(Self.fetchedFlag)
        flags = marked.flagTexts
        isEvidence = true
        isFetched = true
        bodyDigest = Digest.sha256(compared)
        self.kept = kept
        keptDigest = Digest.sha256(kept)
        body = []
        self.place = place
        signatureHeaders = SignatureHeaders.text([])
        var identity: [UInt8] = []
        Self.add(Self.fetchedFlag, to: &identity)
        Self.add(event.eventKey, to: &identity)
        deliveryDigest = Digest.short(identity + bodyDigest)
    }

    /// Marks an event that is known by the provider's list alone.
    static let fetchedFlag = "fetched"

    /// Whether a flag of an event says something of its deliveries and not of what its body says.
    static func isOfLoader(_ flag: String) -> Bool {
        flag == bodyChangedFlag || flag == fetchedFlag || flag.hasPrefix(SignatureForm.flagPrefix)
    }

    /// Marks an event whose deliveries brought different bodies.
    static let bodyChangedFlag = "body_changed"

    private static func add(_ text: String, to identity: inout [UInt8]) {
        withUnsafeBytes(of: UInt64(text.utf8.count).bigEndian) { identity.append(contentsOf: $0) }
        identity.append(contentsOf: text.utf8)
    }

    private static func holdsZero(_ event: MappedEvent) -> Bool {
        holdsZero(event.eventKey) || holdsZero(event.kind) || holdsZero(event.transactionID)
            || holdsZero(event.rawStatus) || holdsZero(event.customerID)
    }

    private static func holdsZero(_ text: String?) -> Bool {
        guard var text else { return false }
        return text.withUTF8 { $0.contains(0) }
    }
}

/// Where a delivery was read.
struct DeliveryPlace: Sendable {
    /// SHA-256 of the file, or of the query.
    let digest: [UInt8]
    /// Line of the file, or row of the query's answer, from 1.
    let line: Int
}
