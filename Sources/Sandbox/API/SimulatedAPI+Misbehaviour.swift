import Payments

/// What faults make of answers.
extension SimulatedAPI {
    // MARK: no data

    /// Throws where a fault answers in the data's place.
    func refuse(by faults: [Fault]) throws(Refusal) {
        guard let fault = faults.first(where: { $0.kind.effect == .status }) else { return }
        throw provider.refusal(trouble(fault))
    }

    private func trouble(_ fault: Fault) -> Trouble {
        switch fault.kind {
        case .tooMany: return .tooMany
        case .unauthorized: return .unauthorized
        case .forbidden: return .forbidden
        case .redirect: return .redirect(status: fault.number("status"))
        case .expired: return .badCursor
        default:
            var random = disturbance.randomness(fault)
            let isMixed = fault.text("status") == "mixed"
            return .server(status: isMixed ? random.pick([500, 502, 503, 504]) : fault.number("status"))
        }
    }

    /// Seconds that the server's clock is ahead.
    func skew(_ faults: [Fault]) -> Int64 {
        Int64(faults.first { $0.kind == .skew }?.number("seconds") ?? 0)
    }

    /// What faults do to headers, body and way of an answer that is made already.
    func disturb(_ response: inout APIResponse, by faults: [Fault]) {
        let clock = wall().adding(seconds: skew(faults))
        if faults.contains(where: { $0.kind == .skew }) { response.set("Date", WireClock.header(clock)) }
        for fault in faults {
            switch fault.kind {
            case .tooMany: limit(&response, fault, clock)
            case .serverError where response.status == 500: Self.page(&response, "Internal Server Error")
            case .redirect: response.set("Location", "https://elsewhere.invalid/moved")
            case .stall: response.delivery = .stall(milliseconds: fault.number("seconds") * 1000)
            case .drip: response.delivery = .drip(bytes: fault.number("bytes"), milliseconds: fault.number("ms"))
            case .cut: response.delivery = .cut
            case .hangUp: response.delivery = .hangUp
            case .oversized: response.delivery = .padded(bytes: fault.number("megabytes") << 20)
            case .malformed: response.body = Array(response.body.prefix(response.body.count / 2))
            case .html: Self.page(&response, "Sign in to continue")
            case .contentType: response.set("Content-Type", "text/plain")
            default: break
            }
        }
    }

    private func limit(_ response: inout APIResponse, _ fault: Fault, _ clock: Timestamp) {
        switch fault.text("retry-after") {
        case "none": break
        case "garbage": response.set("Retry-After", "soon, please")
        case "date":
            let moment = clock.adding(seconds: Int64(fault.number("ahead")))
            // A date stands beside the date it is measured against.
            response.set("Date", WireClock.header(clock))
            response.set("Retry-After", WireClock.header(moment))
        case let seconds: response.set("Retry-After", seconds)
        }
    }

    /// Some answers of real servers are no JSON at all.
    private static func page(_ response: inout APIResponse, _ text: String) {
        response.body = Array("<!doctype html><html><body><h1>\(text)</h1></body></html>".utf8)
        response.set("Content-Type", "text/html")
    }

    // MARK: lists

    /// What a member says instead of the truth, as JSON; `inserts`: a row that lacks the member gets it.
    private typealias Change = (name: String, value: String, inserts: Bool)

    /// What `fault` makes of a row with these marks; nil: it is about something else, or nothing marks it.
    private func change(_ fault: Fault, _ marks: RowMarks, _ random: inout Randomness) -> Change? {
        switch fault.kind {
        case .bad: (marks.amount, #""12.3.4""#, true)
        case .badType: (marks.amount, #"{"value":"1.00","unit":"?"}"#, true)
        case .badStatus: (marks.status, #""retry_scheduled""#, true)
        case .badField: ("unheard_of", #"{"no":7,"tags":["a"]}"#, true)
        case .stranger: marks.owner.map { ($0.name, "\"\($0.stranger(&random))\"", true) }
        default: nil
        }
    }

    private func changed(_ row: [UInt8], by changes: [Change]) -> [UInt8] {
        changes.reduce(row) { RowBytes.set($1.name, to: $1.value, in: $0, inserts: $1.inserts) }
    }

    /// The record of a single read as faults leave it. Another owner's has the id that was asked for all the same.
    func spoil(_ row: [UInt8], of shelf: String, _ faults: [Fault]) -> [UInt8] {
        let marks = provider.marks(ofShelf: shelf)
        return changed(
            row,
            by: faults.compactMap { fault in
                var random = disturbance.randomness(fault)
                return change(fault, marks, &random)
            })
    }

    /// One row of a page: which, under which key, and what members of it say instead of the truth.
    private struct Entry {
        let item: Item
        var id: String
        var key: String
        var changes: [Change] = []
    }

    /// A page of a list, with whatever `faults` do to its rows, keys and counts.
    func list(_ asked: ListAsk, at now: Timestamp, _ faults: [Fault]) throws(Refusal) -> APIResponse {
        func fault(_ kind: FaultKind) -> Fault? { faults.first { $0.kind == kind } }
        var ask = asked
        if let short = fault(.short) { ask.limit = min(ask.limit, short.number("rows")) }
        if fault(.loop) != nil { ask.position = .start }
        let numbered = fault(.offset) != nil
        let disturbance = self.disturbance
        var span = try listing.span(ask, at: now, hidden: hidden(on: ask.shelf, at: now)) {
            numbered ? disturbance.offset(of: $0) : nil
        }
        if let empty = fault(.empty) {
            if empty.text("lie") == "yes" { span.remaining = 0 } else { span.remaining += span.rows.count }
            span.rows = []
        }
        if fault(.silent) != nil { span = Listing.Span(rows: [], offset: 0, remaining: 0, total: 0) }
        if let off = fault(.total)?.number("off") {
            span.total = max(0, span.total + off)
            span.remaining = max(0, span.remaining + off)
        }
        let items = listing.items(ask.shelf)
        var page = Page(offset: span.offset, remaining: span.remaining, total: span.total, moment: now)
        if faults.isEmpty, let rendered {
            page.rows = rendered.rows(span.rows, of: ask, count: items.count, at: now) { index in
                row(items[index], ask, listing.key(of: items[index]), at: now)
            }
            page.keys = span.rows.map { listing.key(of: items[$0]) }
            page.ids = span.rows.map { items[$0].id }
        } else {
            var entries = span.rows.map { Entry(item: items[$0], id: items[$0].id, key: listing.key(of: items[$0])) }
            if numbered {
                let start = span.total - span.remaining - entries.count
                disturbance.note(keys: entries.map(\.key), from: start)
                disturbance.note(keys: entries.map(\.id), from: start)
            }
            for fault in faults { add(fault, to: &entries, ask, at: now) }
            if fault(.repeatedCursor) != nil, let key = asked.key {
                for place in entries.indices { entries[place].key = key }
            }
            page.rows = entries.map { entry in
                changed(row(entry.item, ask, entry.key, at: now), by: entry.changes)
            }
            page.keys = entries.map(\.key)
            page.ids = entries.map(\.id)
        }
        // An empty page in the middle says where to go on, as the one before it did.
        page.next = page.remaining == 0 ? nil : page.keys.last ?? asked.key
        return APIResponse(200, fault(.bare) == nil ? provider.envelope(page, asked) : page.array)
    }

    private func row(_ item: Item, _ ask: ListAsk, _ key: String, at now: Timestamp) -> [UInt8] {
        provider.row(item, View(moment: now, dialect: ask.dialect, key: key))
    }

    /// Rows that do not belong on the page, each at a place drawn from the seed.
    private func add(_ fault: Fault, to entries: inout [Entry], _ ask: ListAsk, at now: Timestamp) {
        var random = disturbance.randomness(fault)
        let marks = provider.marks(ofShelf: ask.shelf)
        for _ in 0..<fault.number("rows") where !entries.isEmpty {
            let place = random.below(entries.count)
            switch fault.kind {
            case .duplicate: entries.insert(entries[place], at: place)
            case .bad, .badType, .badStatus, .badField:
                change(fault, marks, &random).map { entries[place].changes.append($0) }
            case .stranger:
                guard marks.owner != nil else { return }
                var entry = entries[place]
                entry.id = provider.source.profile.transactionID(&random)
                for name in marks.ids { entry.changes.append((name, "\"\(entry.id)\"", false)) }
                change(fault, marks, &random).map { entry.changes.append($0) }
                entries.insert(entry, at: place)
            case .outside:
                guard let item = outsider(ask, at: now, &random) else { return }
                entries.insert(
                    Entry(item: item, id: item.id, key: listing.key(of: item)), at: random.below(entries.count + 1))
            default: return
            }
        }
    }

    /// A row that exists, but not within what was asked for.
    private func outsider(_ ask: ListAsk, at now: Timestamp, _ random: inout Randomness) -> Item? {
        let items = listing.items(ask.shelf)
        let others = listing.rows(ask.shelf, ListAsk.Filter(), at: now).filter { index in
            let time = items[index].createdAt
            return ask.filter.from.map { time < $0 } == true || ask.filter.until.map { time >= $0 } == true
        }
        return others.isEmpty ? nil : items[random.pick(others)]
    }
}

extension ListAsk {
    /// The opaque key or id that was sent.
    var key: String? {
        switch position {
        case .after(let key), .before(let key): key
        case .afterID(let id), .beforeID(let id): id
        case .start, .offset: nil
        }
    }
}
