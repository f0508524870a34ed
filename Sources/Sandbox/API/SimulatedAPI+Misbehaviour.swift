import Payments

/// What faults make of answers.
extension SimulatedAPI {
    // MARK: no data

    /// Throws where a fault answers in the data's place.
    func refuse(by faults: [Fault]) throws(Refusal) {
        guard let fault = faults.first(where: { $0.kind.effect == .status }) else { return }
        switch fault.kind {
        case .tooMany: throw Refusal(status: 429, code: "TOO_MANY_REQUESTS", message: "Slow down")
        case .unauthorized: throw Refusal(status: 401, code: "UNAUTHORIZED", message: "Invalid credentials")
        case .forbidden: throw Refusal(status: 403, code: "FORBIDDEN", message: "Insufficient access")
        case .redirect: throw Refusal(status: fault.number("status"), code: "MOVED", message: "Elsewhere")
        case .expired: throw .bad("[after] is no valid key")
        default:
            var random = disturbance.randomness(fault)
            let status = fault.text("status") == "mixed" ? random.pick([500, 502, 503, 504]) : fault.number("status")
            throw Refusal(status: status, code: "INTERNAL_ERROR", message: "Try again")
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
            case .redirect: response.set("Location", "https://elsewhere.invalid/payments/transactions")
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

    /// One row of a page: which, under which key, and what is wrong with it.
    private struct Entry {
        var trade: Trade
        var key: String
        var account = Deliveries.account
        var isSpoilt = false
    }

    /// A page of the list as JSON, with whatever `faults` do to its rows, keys and counts.
    func list(_ asked: Query, isNew: Bool, at now: Timestamp, _ faults: [Fault]) throws(Refusal) -> [UInt8] {
        func fault(_ kind: FaultKind) -> Fault? { faults.first { $0.kind == kind } }
        var query = asked
        if let short = fault(.short) { query.limit = min(query.limit, short.number("rows")) }
        if fault(.loop) != nil { (query.after, query.before) = (nil, nil) }
        let numbered = fault(.offset) != nil
        let disturbance = self.disturbance
        var (page, remaining, total) = try listing.page(query, at: now, hidden: hidden(at: now)) {
            numbered ? disturbance.offset(of: $0) : nil
        }
        if let empty = fault(.empty) {
            if empty.text("lie") == "yes" { remaining = 0 } else { remaining += page.count }
            page = []
        }
        if fault(.silent) != nil { (page, remaining, total) = ([], 0, 0) }
        if let off = fault(.total)?.number("off") {
            total = max(0, total + off)
            remaining = max(0, remaining + off)
        }
        if faults.isEmpty, let rendered {
            let rows = rendered.rows(page, isNew: isNew, at: now) { index in
                var json = JSONText()
                Row(trade: world.trades[index], moment: now, hasNewWalletNames: isNew)
                    .write(to: &json, key: listing.key(of: world.trades[index]))
                return json.bytes
            }
            let counts = #"{"count":\#(page.count),"remaining":\#(remaining),"totalCount":\#(total),"transactions":["#
            return Array(counts.utf8) + rows + Array("]}".utf8)
        }
        var entries = page.map { Entry(trade: world.trades[$0], key: listing.key(of: world.trades[$0])) }
        if numbered { disturbance.note(keys: entries.map(\.key), from: total - remaining - entries.count) }
        for fault in faults { add(fault, to: &entries, query, at: now) }
        if fault(.repeatedCursor) != nil, let key = asked.after ?? asked.before {
            for place in entries.indices { entries[place].key = key }
        }
        return write(entries, remaining: remaining, total: total, isBare: fault(.bare) != nil, isNew, now)
    }

    /// Rows that do not belong on the page, each at a place drawn from the seed.
    private func add(_ fault: Fault, to entries: inout [Entry], _ query: Query, at now: Timestamp) {
        var random = disturbance.randomness(fault)
        for _ in 0..<fault.number("rows") where !entries.isEmpty {
            let place = random.below(entries.count)
            switch fault.kind {
            case .duplicate: entries.insert(entries[place], at: place)
            case .bad: entries[place].isSpoilt = true
            case .stranger:
                var entry = entries[place]
                entry.trade.id = Identifiers.meld(&random)
                entry.account = "Wstranger" + Identifiers.base58(13, &random)
                entries.insert(entry, at: place)
            case .outside:
                guard let trade = outsider(query, at: now, &random) else { return }
                entries.insert(Entry(trade: trade, key: listing.key(of: trade)), at: random.below(entries.count + 1))
            default: return
            }
        }
    }

    /// A row that exists, but not within what was asked for.
    private func outsider(_ query: Query, at now: Timestamp, _ random: inout Randomness) -> Trade? {
        let others = listing.rows(Query.Filter(), at: now).filter { index in
            let time = world.trades[index].createdAt
            return query.filter.from.map { time <= $0 } == true || query.filter.to.map { time >= $0 } == true
        }
        return others.isEmpty ? nil : world.trades[random.pick(others)]
    }

    private func write(
        _ entries: [Entry], remaining: Int, total: Int, isBare: Bool, _ isNew: Bool, _ now: Timestamp
    ) -> [UInt8] {
        func rows(_ json: inout JSONText) {
            for entry in entries {
                Row(
                    trade: entry.trade, moment: now, hasNewWalletNames: isNew, account: entry.account,
                    isSpoilt: entry.isSpoilt
                ).write(to: &json, key: entry.key)
            }
        }
        var json = JSONText()
        json.reserve(entries.count * 2_000 + 100)
        if isBare {
            json.array { rows(&$0) }
        } else {
            json.object {
                $0.number("count", String(entries.count))
                $0.number("remaining", String(remaining))
                $0.number("totalCount", String(total))
                $0.array("transactions") { rows(&$0) }
            }
        }
        return json.bytes
    }
}
