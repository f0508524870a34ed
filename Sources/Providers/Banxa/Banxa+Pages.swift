package import HTTP
import JSON
import Payments

/// Requests of Banxa's lists and of single orders and ramps, and how their answers are read.
///
/// Lists are asked for by whole days and walked by page numbers. Whether the days are those of creation or of a change,
/// whether they are included, what `pageTotal` counts and whether pages count from 0 or from 1 is not documented, and
/// nothing here depends on it: the end is an empty page, days are asked for generously, and the second request is for
/// page 1, which shows the first page again where they count from 1.
package struct BanxaPages: Lister, SingleReader {
    let configuration: BanxaConfiguration
    let mapping: any ElementMapping

    package var pageLimit: Int { configuration.pageLimit }
    package var expectedStatuses: Set<Int> { BanxaAnswer.expectedStatuses }
    package var hasExactWindows: Bool { false }

    // MARK: Lists

    package func request(for ask: PageAsk) -> HTTPRequest {
        let isLegacy = configuration.surface == .legacy
        // Wider than the walk's own margin by a day: a bound that excludes its own day in a zone of its own.
        let start = ask.from.map { BanxaDay.text($0, plus: -1) } ?? BanxaDay.first
        // Never the end of a window: were the days those of the last change, rows changed since would be missing.
        let end = ask.asOf.map { BanxaDay.text($0, plus: 2) } ?? BanxaDay.last
        var query = [
            (isLegacy ? "start_date" : "start", start), (isLegacy ? "end_date" : "end", end),
            (isLegacy ? "per_page" : "limit", String(min(ask.limit, pageLimit))),
        ]
        if let place = BanxaPlace(ask.cursor) { query.append(("page", String(place.page))) }
        let path = isLegacy ? "/api/orders" : "/\(URLText.escape(configuration.partnerRef))/v2/orders"
        return request(path + "?" + URLText.query(query.map { (name: $0.0, value: $0.1) }))
    }

    private func request(_ path: String) -> HTTPRequest {
        HTTPRequest(
            url: configuration.apiBase + path, headers: [("Accept", "application/json")],
            secretHeaders: configuration.surface == .v2 ? [("x-api-key", configuration.apiKey)] : [])
    }

    package func page(from response: HTTPResponse, to ask: PageAsk) throws(ProviderFault) -> ProviderPage {
        let place = BanxaPlace(ask.cursor)
        if let place, [400, 404, 410, 422].contains(response.status), case .refused = BanxaAnswer.fault(response) {
            // A page behind the last one is refused instead of being empty.
            if place.isBehindAll { return ProviderPage([], mapping, next: nil) }
            throw .cursorRejected
        }
        let root = try BanxaAnswer.body(response)
        let elements = try BanxaAnswer.rows(root)
        let meta = root["meta"] ?? root["data"]?["meta"]
        let total = Answer.count(meta?["total"] ?? root["total"] ?? root["data"]?["total"])
        guard !elements.isEmpty else { return ProviderPage([], mapping, next: nil, total: total) }
        // A list that fits the first page is at its end; any other has to show an empty page.
        if place == nil, elements.count < ask.limit, let total, elements.count >= total {
            return ProviderPage(elements, mapping, next: nil, total: total, saysEnd: true)
        }
        if let place, place.isBehindAll, place.repeats(elements) {
            // A list that shows a page again for whatever lies behind its last one.
            return ProviderPage(elements, mapping, next: nil, total: total, saysEnd: true)
        }
        let next = BanxaPlace(
            behind: place, elements, total: total, stated: Answer.count(meta?["current_page"] ?? meta?["currentPage"]))
        return ProviderPage(elements, mapping, next: next.text, total: total)
    }

    // MARK: Single reads

    package var keys: Set<ReadKey> { [.id] }
    /// The book may call the one id by either name.
    package var idKinds: [String] { ["banxa:transaction", "banxa:order"] }

    package func request(for ask: ReadAsk) -> HTTPRequest? {
        // Native takes ids of up to 100 characters; what has blanks or slashes was never one.
        guard let id = ask.id, (1...100).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") }), id != ".", id != ".."
        else { return nil }
        let name = URLText.escape(id)
        return switch configuration.surface {
        case .v2: request("/\(URLText.escape(configuration.partnerRef))/v2/orders/\(name)")
        case .legacy: request("/api/orders/\(name)")
        case .native: request("/eapi/v0/ramps/\(name)")
        }
    }

    package func answer(from response: HTTPResponse, to ask: ReadAsk) throws(ProviderFault) -> SingleAnswer {
        if BanxaAnswer.isUnknown(response) { return .elements([]) }
        return .elements(try BanxaAnswer.single(try BanxaAnswer.body(response)).map { [$0] } ?? [])
    }
}

/// A page by its number, with what was read before it: `2/100/250/<first id>/<id>`.
struct BanxaPlace: Hashable {
    let page: Int
    /// Rows read before, those of the first page once.
    let collected: Int
    /// Rows of the list, as the page before said; -1: it said nothing.
    let total: Int
    /// The first row of the first page, percent-encoded.
    let first: String
    /// The first row of the page before, likewise.
    let last: String

    /// As many rows were read as the list has.
    var isBehindAll: Bool { total >= 0 && collected >= total }

    var text: String {
        "\(page)/\(collected)/\(total)/\(first)/\(last)"
    }

    /// A page that was shown before: page 1 where they count from 1, or a list that shows its first or last page for
    /// whatever lies behind.
    func repeats(_ elements: [JSONValue]) -> Bool {
        let ids = Set(elements.compactMap { $0["id"]?.scalarText.map { URLText.escape($0) } })
        return ids.contains(first) || ids.contains(last)
    }

    init?(_ cursor: String?) {
        guard let parts = cursor?.split(separator: "/", omittingEmptySubsequences: false), parts.count == 5,
            let page = Int(parts[0]), let collected = Int(parts[1]), let total = Int(parts[2])
        else { return nil }
        self.page = page
        self.collected = collected
        self.total = total
        first = String(parts[3])
        last = String(parts[4])
    }

    /// The page behind one with `elements`; `stated`: which number the answer gives itself.
    init(behind place: BanxaPlace?, _ elements: [JSONValue], total: Int?, stated: Int?) {
        last = elements.first?["id"]?.scalarText.map { URLText.escape($0) } ?? ""
        self.total = total ?? -1
        guard let place else {
            page = (stated ?? 0) + 1
            collected = elements.count
            first = last
            return
        }
        page = place.page + 1
        first = place.first
        collected = place.collected + (place.repeats(elements) ? 0 : elements.count)
    }
}
