import Crypto
import Payments
import Providers

/// Deliveries that were read and judged, and are not written yet.
struct CaptureBatch: Sendable {
    /// One delivery whose payment's secret is not known yet.
    private struct Unjudged: Sendable {
        let read: Result<WebhookDelivery, RowFault>
        let place: DeliveryPlace
        let length: Int
        let digest: [UInt8]
    }

    /// By source.
    private(set) var deliveries: [String: [JudgedDelivery]] = [:]
    private(set) var bad: [BadRecord] = []
    /// Deliveries met, good and bad.
    private(set) var records = 0
    /// Bytes of them.
    private(set) var bytes = 0
    /// Where a query is read on after this batch.
    var position: String?
    private var unjudged: [Unjudged] = []

    func isFull(at size: Int) -> Bool { records >= size || bytes >= WebhookHistoryLoader.batchBytes }

    /// Takes in one delivery, or why it cannot be read. `secret`: its payment's own, where it came with it. `digest` is
    /// asked for where it is refused: SHA-256 of the record's bytes.
    mutating func add(
        _ read: Result<WebhookDelivery, RowFault>, _ judge: DeliveryJudge, at place: DeliveryPlace, length: Int,
        secret: Secret? = nil, digest: () -> [UInt8]
    ) {
        records += 1
        bytes += length
        if judge.looksUp, secret == nil {
            unjudged.append(Unjudged(read: read, place: place, length: length, digest: digest()))
        } else {
            take(read, judge, SecretsFound(own: secret), at: place, length: length, digest: digest)
        }
    }

    /// Judges what waits for secrets of payments, which are looked up for all of it at once. Throws what the look-up throws.
    mutating func settle(_ judge: DeliveryJudge) throws {
        if unjudged.isEmpty { return }
        var found = try judge.lookUp(unjudged.compactMap { try? $0.read.get() })
        for one in unjudged {
            found.own = nil
            take(one.read, judge, found, at: one.place, length: one.length) { one.digest }
        }
        unjudged = []
    }

    private mutating func take(
        _ read: Result<WebhookDelivery, RowFault>, _ judge: DeliveryJudge, _ secrets: SecretsFound,
        at place: DeliveryPlace, length: Int, digest: () -> [UInt8]
    ) {
        do throws(DeliveryJudge.Refusal) {
            let delivery: WebhookDelivery
            switch read {
            case .success(let found): delivery = found
            case .failure(let fault): throw DeliveryJudge.Refusal(source: judge.only, fault: fault)
            }
            let (source, judged) = try judge.judge(delivery, at: place, secrets)
            deliveries[source.id, default: []].append(judged)
        } catch {
            let fault = error.fault
            // What the database cannot hold as text names nothing.
            let id = fault.recordID.flatMap { $0.utf8.contains(0) ? nil : $0 }
            bad.append(
                BadRecord(
                    source: error.source?.id, recordID: id, references: fault.references.map(\.description).sorted(),
                    reason: fault.reason, line: place.line, length: length, digest: digest()))
        }
    }
}
