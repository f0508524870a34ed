import Crypto
import Payments
import Providers

/// Deliveries that were read and judged, and are not written yet.
struct CaptureBatch: Sendable {
    /// By source.
    var deliveries: [String: [JudgedDelivery]] = [:]
    var bad: [BadRecord] = []
    /// Deliveries met, good and bad.
    var records = 0
    /// Bytes of them.
    var bytes = 0

    func isFull(at size: Int) -> Bool { records >= size || bytes >= WebhookHistoryLoader.batchBytes }

    /// Takes in one delivery, or why it cannot be read (`only`: the source of all of them). `digest` is asked for where it
    /// is refused: SHA-256 of the record's bytes.
    mutating func add(
        _ read: Result<WebhookDelivery, RowFault>, _ judge: DeliveryJudge, at place: DeliveryPlace, length: Int,
        digest: () -> [UInt8]
    ) {
        records += 1
        bytes += length
        do throws(DeliveryJudge.Refusal) {
            let delivery: WebhookDelivery
            switch read {
            case .success(let found): delivery = found
            case .failure(let fault): throw DeliveryJudge.Refusal(source: judge.only, fault: fault)
            }
            let (source, judged) = try judge.judge(delivery, at: place)
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
