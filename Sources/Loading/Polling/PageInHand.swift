import HTTP
import Payments
import Providers

/// A page that was read, and its rows, which are compared and mapped beside the walk that goes on.
struct PageInHand: Sendable {
    let facts: PageFacts
    let identities: [RowIdentity]
    let rows: Task<[IncomingRow], Never>

    /// - Parameters:
    ///   - ahead: the rows are expected to be new, so that they are mapped at once.
    ///   - place: where a person can look, for what turns out to be unusable.
    init(_ page: ProviderPage, mapping: any ElementMapping, startedAt: Timestamp, place: String, ahead: Bool) {
        facts = page.facts
        identities = page.identities
        rows = Task {
            var rows: [IncomingRow] = []
            rows.reserveCapacity(page.elements.count)
            for (element, identity) in zip(page.elements, page.identities) {
                rows.append(
                    IncomingRow(
                        element: element, identity: identity, mapping: mapping, requestStartedAt: startedAt,
                        place: place, mappedAhead: ahead))
            }
            return rows
        }
    }
}

/// Why there is no page.
enum PageFault: Error {
    case request(HTTPError)
    case content(ProviderFault)
}
