import Crypto
import JSON
import Payments
import Providers

/// One delivery, verified over its exact bytes and read.
struct JudgedDelivery: Sendable {
    let delivery: WebhookDelivery
    let check: SignatureCheck
    let event: MappedEvent
    let bodyDigest: [UInt8]
    let isEvidence: Bool
    /// The body less the secret and personal fields.
    let kept: [UInt8]
    let keptDigest: [UInt8]
    /// Tells deliveries of one event apart, also those received in the same moment.
    let deliveryDigest: [UInt8]
    /// The headers a signature needs, as a JSON object.
    let signatureHeaders: String
    /// SHA-256 of the file, and the line in it.
    let file: [UInt8]
    let line: Int

    /// Throws a `RowFault` where the body is no event.
    init(_ delivery: WebhookDelivery, source: WebhookSource, check: SignatureCheck, file: [UInt8], line: Int)
        throws(RowFault)
    {
        let scheme = source.scheme
        self.delivery = delivery
        self.check = check
        self.file = file
        self.line = line
        isEvidence = check.verdict == .valid || (check.verdict == .unsigned && source.unsignedCounts)
        bodyDigest = Digest.sha256(delivery.body)
        event = try scheme.event(delivery, bodyDigest: bodyDigest)
        if Self.holdsZero(delivery.url) || Self.holdsZero(event) { throw RowFault("a zero byte in a text") }
        do throws(JSONFault) {
            kept =
                scheme.redaction(ofKind: event.kind).kept(
                    try JSONDocument(delivery.body, unreadable: .mark).root
                ).bytes
        } catch {
            throw RowFault("no JSON: \(error)", recordID: event.eventKey)
        }
        keptDigest = kept == delivery.body ? bodyDigest : Digest.sha256(kept)

        var writer = JSONWriter()
        var hasher = SHA256Hasher()
        hasher.update(field: String(delivery.receivedAt.microseconds))
        hasher.update(field: delivery.url)
        writer.object { writer in
            for name in scheme.signatureHeaders.sorted() {
                // What the database cannot hold is no signature either.
                guard let value = delivery.header(name)?.replacing("\0", with: "\u{FFFD}") else { continue }
                writer.member(name, value)
                hasher.update(field: name)
                hasher.update(field: value)
            }
        }
        hasher.update(bodyDigest)
        signatureHeaders = writer.text
        deliveryDigest = Array(hasher.finish().prefix(16))
    }

    private static func holdsZero(_ event: MappedEvent) -> Bool {
        [event.eventKey, event.kind ?? "", event.transactionID ?? "", event.rawStatus ?? "", event.customerID ?? ""]
            .contains(where: holdsZero)
    }

    private static func holdsZero(_ text: String) -> Bool { text.utf8.contains(0) }
}
