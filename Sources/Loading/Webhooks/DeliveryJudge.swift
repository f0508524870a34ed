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

    private typealias Reading = Result<MappedEvent, RowFault>

    /// In the order of the configuration.
    let sources: [WebhookSource]
    /// All deliveries are this source's, whatever their URL; nil: the URL decides.
    let only: WebhookSource?
    /// Secrets of payments have to be looked up before deliveries can be judged.
    let looksUp: Bool

    init(sources: [WebhookSource], only: WebhookSource?) {
        self.sources = sources
        self.only = only
        looksUp = (only.map { [$0] } ?? sources).contains { $0.lookUp != nil }
    }

    /// Looks up the secrets of the payments that these deliveries are about. Throws what the look-up throws.
    func lookUp(_ deliveries: [WebhookDelivery]) throws -> SecretsFound {
        var found = SecretsFound()
        for source in only.map({ [$0] }) ?? sources {
            guard let lookUp = source.lookUp else { continue }
            var names: Set<String> = []
            for delivery in deliveries
            where only != nil || candidates(delivery.url).contains(where: { $0.id == source.id }) {
                let digest = Digest.sha256(delivery.body)
                guard let root = try? Self.parse(delivery, digest).get(in: delivery, by: source),
                    case .success(let event) = Self.read(source, delivery, root, digest)
                else { continue }
                names.formUnion(event.names)
            }
            if names.isEmpty { continue }
            do {
                found.bySource[source.id] = try lookUp.find(names.sorted())
            } catch let fault as LoadFault where fault.kind == .unreadable {
                // Judged without its secret every event would be called unproven.
                throw LoadFault(.noSecrets, "\(source.id): \(fault.message)")
            }
        }
        return found
    }

    /// `secrets`: those of payments, beside the source's own.
    func judge(
        _ delivery: WebhookDelivery, at place: DeliveryPlace, _ secrets: SecretsFound = SecretsFound()
    ) throws(Refusal) -> (WebhookSource, JudgedDelivery) {
        let bodyDigest = Digest.sha256(delivery.body)
        let root = Self.parse(delivery, bodyDigest)
        var source = only
        do throws(RowFault) {
            let (found, check, read) = try addressee(of: delivery, root, bodyDigest, secrets)
            source = found
            let body = try root.get(in: delivery, by: found)
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

    private func candidates(_ url: String) -> [WebhookSource] {
        let named = sources.filter { $0.receives(url) }
        // One source without an address needs none.
        return named.isEmpty && sources.count == 1 && sources[0].urls.isEmpty ? sources : named
    }

    /// Whose delivery it is. Where several sources share an address, the one whose key proves it.
    private func addressee(
        of delivery: WebhookDelivery, _ root: Result<JSONValue, RowFault>, _ digest: [UInt8], _ secrets: SecretsFound
    ) throws(RowFault) -> (WebhookSource, SignatureCheck, Reading?) {
        if let only { return check(delivery, only, root, digest, secrets) }
        let candidates = candidates(delivery.url)
        guard let first = candidates.first else { throw RowFault("url: belongs to no source") }
        if candidates.count == 1 { return check(delivery, first, root, digest, secrets) }
        for candidate in candidates {
            let checked = check(delivery, candidate, root, digest, secrets)
            if checked.1.verdict == .valid { return checked }
        }
        throw RowFault("url: belongs to several sources, and no key decides")
    }

    /// Where each payment has a secret of its own the body must be read before it can be proven.
    private func check(
        _ delivery: WebhookDelivery, _ source: WebhookSource, _ root: Result<JSONValue, RowFault>, _ digest: [UInt8],
        _ secrets: SecretsFound
    ) -> (WebhookSource, SignatureCheck, Reading?) {
        guard secrets.own != nil || source.lookUp != nil, let body = try? root.get(in: delivery, by: source) else {
            return (source, source.scheme.check(delivery), nil)
        }
        let reading = Self.read(source, delivery, body, digest)
        let others = secrets.secrets(of: try? reading.get(), source: source.id)
        return (source, source.scheme.check(delivery, also: others), reading)
    }
}

extension Result where Success == JSONValue, Failure == RowFault {
    /// The body, also one that is no JSON and that the provider is known to write so.
    fileprivate func get(in delivery: WebhookDelivery, by source: WebhookSource) throws(RowFault) -> JSONValue {
        switch self {
        case .success(let root): return root
        case .failure(let fault):
            guard let form = source.scheme.readable(delivery.body), let document = try? JSONDocument(form) else {
                throw fault
            }
            return document.root
        }
    }
}
