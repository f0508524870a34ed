import Crypto
import JSON
import Payments
import Providers

/// Says whose a delivery is, whether a key proves it, and what it reports. Holds no state: any thread may ask.
struct DeliveryJudge: Sendable {
    /// A delivery that cannot be taken in, and whose it is as far as that could be told.
    struct Refusal: Error {
        let source: WebhookSource?
        let fault: RowFault
    }

    /// In the order of the configuration.
    let sources: [WebhookSource]
    /// All deliveries are this source's, whatever their URL; nil: the URL decides.
    let only: WebhookSource?

    func judge(_ delivery: WebhookDelivery, at place: DeliveryPlace) throws(Refusal) -> (WebhookSource, JudgedDelivery)
    {
        let bodyDigest = Digest.sha256(delivery.body)
        let root = Self.parse(delivery, bodyDigest)
        var source = only
        do throws(RowFault) {
            let (found, check, read) = try addressee(of: delivery, root, bodyDigest)
            source = found
            let body = try root.get()
            let event = try (read ?? Self.read(found, delivery, body, bodyDigest)).get()
            return (
                found,
                try JudgedDelivery(
                    delivery, root: body, event: event, bodyDigest: bodyDigest, check: check, source: found,
                    place: place)
            )
        } catch {
            throw Refusal(source: source, fault: error)
        }
    }

    private typealias Reading = Result<MappedEvent, RowFault>

    private static func parse(_ delivery: WebhookDelivery, _ digest: [UInt8]) -> Result<JSONValue, RowFault> {
        do throws(JSONFault) {
            return .success(try JSONDocument(delivery.body, unreadable: .mark).root)
        } catch {
            return .failure(RowFault("no JSON: \(error)", recordID: Hex.encode(digest)))
        }
    }

    private static func read(
        _ source: WebhookSource, _ delivery: WebhookDelivery, _ root: JSONValue, _ digest: [UInt8]
    ) -> Reading {
        do throws(RowFault) {
            return .success(try source.scheme.event(delivery, root: root, bodyDigest: digest))
        } catch {
            return .failure(error)
        }
    }

    /// Whose delivery it is. Where several sources share an address, the one whose key proves it.
    private func addressee(
        of delivery: WebhookDelivery, _ root: Result<JSONValue, RowFault>, _ digest: [UInt8]
    ) throws(RowFault) -> (WebhookSource, SignatureCheck, Reading?) {
        if let only { return check(delivery, only, root, digest) }
        var candidates = sources.filter { $0.receives(delivery.url) }
        // One source without an address needs none.
        if candidates.isEmpty, sources.count == 1, sources[0].urls.isEmpty { candidates = sources }
        guard let first = candidates.first else { throw RowFault("url: belongs to no source") }
        if candidates.count == 1 { return check(delivery, first, root, digest) }
        for candidate in candidates {
            let checked = check(delivery, candidate, root, digest)
            if checked.1.verdict == .valid { return checked }
        }
        throw RowFault("url: belongs to several sources, and no key decides")
    }

    /// Where each payment has a secret of its own the body must be read before it can be proven.
    private func check(
        _ delivery: WebhookDelivery, _ source: WebhookSource, _ root: Result<JSONValue, RowFault>, _ digest: [UInt8]
    ) -> (WebhookSource, SignatureCheck, Reading?) {
        guard let lookUp = source.secretsOf, case .success(let body) = root else {
            return (source, source.scheme.check(delivery), nil)
        }
        let reading = Self.read(source, delivery, body, digest)
        guard case .success(let event) = reading else { return (source, source.scheme.check(delivery), reading) }
        return (source, source.scheme.check(delivery, also: lookUp(event)), reading)
    }
}
