import Payments

/// One thing that can arrive, as its bytes, and when it may.
struct WorldFact {
    enum Kind { case order, event, transaction, leg, line }
    let kind: Kind
    let source: String
    /// A CSV row, a captured delivery, or an element of a page; of a leg its resource before it.
    let text: String
    /// The number of its payment.
    let payment: UInt64
    /// Nights on which it may arrive, from 0.
    var nights: ClosedRange<Int>
}

/// Ten to thirty payments of all kinds, the same for a seed on every machine: versions, late and older ones, events that are
/// forged, late or delivered again, corrections of the book, references that are corrected (payments merge and split), two
/// orders that claim one reference, records that cannot be read, two sources and both directions, a source beneath the
/// first that shows its payments again (or charges of its own), one that succeeds the second.
struct SmallWorld {
    static let start = Timestamp(seconds: 1_786_363_200)  // 2026-08-10T12:00:00Z, a Monday
    static let newsNights = 4
    static let header =
        "order_id,source,status,amount,currency,created_at,updated_at,direction,provider_session_id,customer_id,"
        + "expires_at,paid_at,credited_at,idempotency_key,destination_amount,destination_currency"

    let seed: UInt64
    private(set) var facts: [WorldFact] = []
    private var random: SplitMix
    private var payments = 0

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix(state: seed &* 7919 &+ 17)
        let count = Int.random(in: 10...30, using: &random)
        // Most payments agree in the end, as everywhere: what a night leaves out is as telling as what it finds.
        while payments < count { add(flip(60) ? 0 : Int.random(in: 1..<19, using: &random)) }
    }

    private func name(_ kind: String, _ number: Int) -> String { "w\(seed)\(kind)\(number)" }

    private mutating func flip(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func add(_ kind: Int) {
        let at = Int64.random(in: 0..<(6 * 86_400), using: &random)
        var trade = Trade(number: payments, at: at, source: flip(80) ? "meld-live" : "meld-two")
        trade.amount = ["100.00", "25.5", "3.20", "999.99"].randomElement(using: &random) ?? "1"
        trade.customer = name("c", kind == 0 ? payments + 100 : Int.random(in: 0..<4, using: &random))
        if flip(15) { trade.direction = "out" }
        payments += 1
        switch kind {
        case 0: settled(trade, isQuiet: true)
        case 1...3: settled(trade)
        case 4: mismatch(trade)
        case 5: charged(trade, times: flip(70) ? 2 : 3)
        case 6: twins(trade)
        case 7: lapsed(trade)
        case 8: movedReference(trade)
        case 9: unsettled(trade)
        case 10: unreadable(trade)
        case 11: strange(trade)
        case 12: failedOver(trade)
        case 14: seenTwice(trade)
        case 15: chargedDirectly(trade)
        case 16: succeeded(trade)
        case 17, 18: bundled(trade)
        default: sharedKey(trade)
        }
    }

    private struct Trade {
        var number: Int
        /// Seconds behind the start of the world.
        var at: Int64
        var source: String
        var amount = "100"
        var customer = ""
        var direction = "in"
    }

    /// Deliveries of one night that nobody can prove: too many for single mistakes, so their silence proves nothing.
    static func flood(_ worlds: [SmallWorld]) -> [WorldFact] {
        (0..<40).map { number in
            let body = Capture.body(
                "flood-\(number)", "nobody-\(worlds.count)-\(number)", "SETTLED", second: 500_000)
            return WorldFact(
                kind: .event, source: "meld-two", text: Capture.line(body, received: 500_005, signed: "x"), payment: 0,
                nights: 2...2)
        }
    }

    // MARK: stories

    /// Quiet: everything is delivered, and agrees.
    private mutating func settled(_ trade: Trade, isQuiet: Bool = false) {
        order(trade, "credited", updates: ["pending", "paid", "credited"])
        if isQuiet {
            transaction(trade, statuses: ["PENDING", "SETTLING", "SETTLED"], isQuiet: true)
            return
        }
        let last = flip(15) ? "REFUNDED" : flip(10) ? "FAILED" : "SETTLED"
        transaction(trade, statuses: ["PENDING", "SETTLING", last])
    }

    private mutating func mismatch(_ trade: Trade) {
        order(trade, "credited", updates: ["paid", "credited"])
        transaction(trade, statuses: ["SETTLING", "SETTLED"], amounts: ["77", flip(40) ? trade.amount : "77"])
    }

    private mutating func charged(_ trade: Trade, times: Int) {
        order(trade, "credited", updates: ["paid", "credited"])
        for index in 0..<times {
            transaction(trade, part: index, statuses: flip(40) ? ["SETTLED", "REFUNDED"] : ["SETTLING", "SETTLED"])
        }
    }

    /// Two payments of one customer, equal in amount, minutes apart.
    private mutating func twins(_ trade: Trade) {
        var other = trade
        other.number = payments
        other.at += Int64.random(in: 60..<7200, using: &random)
        payments += 1
        order(trade, "failed", updates: flip(50) ? ["pending", "failed"] : ["pending", "credited"])
        transaction(trade, statuses: ["SETTLING", "SETTLED"])
        order(other, "credited", updates: ["paid", "credited"])
        transaction(other, statuses: flip(30) ? ["SETTLED", "REFUNDED"] : ["SETTLED"])
    }

    /// A session that lapses: before, between or after the nights.
    private mutating func lapsed(_ trade: Trade) {
        let expires = trade.at + Int64.random(in: 1800..<(5 * 86_400), using: &random)
        order(trade, "open", updates: flip(50) ? ["open"] : ["open", "expired"], expires: expires)
        if flip(60) { transaction(trade, statuses: flip(50) ? ["PENDING"] : ["PENDING", "AUTHORIZATION_EXPIRED"]) }
    }

    /// A payment whose order first claims the session of another one, or whose charge first names no session.
    private mutating func movedReference(_ trade: Trade) {
        var other = trade
        other.number = payments
        payments += 1
        let own = name("s", trade.number)
        let foreign = name("s", other.number)
        order(trade, "credited", updates: ["paid", "credited"], sessions: flip(50) ? [foreign, own] : [own, foreign])
        order(other, "credited", updates: ["credited"])
        transaction(trade, statuses: ["SETTLING", "SETTLED"], sessions: flip(50) ? [foreign, own] : [own])
        transaction(other, statuses: ["SETTLED"])
    }

    private mutating func unsettled(_ trade: Trade) {
        order(trade, "paid", updates: ["pending", "paid"])
        transaction(trade, statuses: flip(50) ? ["PENDING", "SETTLING"] : ["SETTLING", "ERROR"])
    }

    /// A row that cannot be read, and in the end can, or never.
    private mutating func unreadable(_ trade: Trade) {
        order(trade, "credited", updates: ["paid", "credited"])
        let id = name("t", trade.number)
        facts.append(
            WorldFact(
                kind: .transaction, source: trade.source,
                text: element(trade, id, "SETTLED", amount: "{\"is\":1}", second: 5, session: name("s", trade.number)),
                payment: UInt64(payments),
                nights: 0...0))
        if flip(60) {
            transaction(trade, statuses: ["SETTLED"], from: 1)
        }
    }

    private mutating func strange(_ trade: Trade) {
        order(trade, "paid", updates: flip(50) ? ["paid", "on_the_moon"] : ["on_the_moon", "paid"])
        transaction(trade, statuses: flip(50) ? ["RETRY_SCHEDULED", "SETTLED"] : ["SETTLED", "RETRY_SCHEDULED"])
    }

    /// The order moves to the other source, and both charge.
    private mutating func failedOver(_ trade: Trade) {
        var other = trade
        other.source = trade.source == "meld-live" ? "meld-two" : "meld-live"
        order(trade, "pending", updates: ["pending"])
        order(other, "credited", updates: ["paid", "credited"], delay: 900)
        transaction(trade, part: 0, statuses: flip(50) ? ["PENDING", "FAILED"] : ["SETTLED"])
        transaction(other, part: 1, statuses: ["SETTLED"])
    }

    /// The aggregator shows the payment, and so does the provider beneath: at another pace, not always with the same word
    /// or amount, and not always by a session of its own.
    private mutating func seenTwice(_ trade: Trade) {
        var above = trade
        above.source = "meld-live"
        var beneath = above
        beneath.source = "mercuryo-live"
        order(above, "credited", updates: ["paid", "credited"])
        let times = flip(25) ? 2 : 1
        for part in 0..<times {
            transaction(above, part: part, statuses: ["PENDING", "SETTLING", "SETTLED"])
            let last = flip(15) ? "FAILED" : flip(15) ? "REFUNDED" : "SETTLED"
            beneath.amount = flip(15) ? "12.34" : above.amount
            let sessions = flip(20) ? [name("s", trade.number) + "-b"] : nil
            transaction(
                beneath, part: part + 5, statuses: flip(50) ? ["SETTLING", last] : [last], sessions: sessions)
        }
    }

    /// Failing over to the provider itself: a charge that the aggregator does not show.
    private mutating func chargedDirectly(_ trade: Trade) {
        var above = trade
        above.source = "meld-live"
        var beneath = above
        beneath.source = "mercuryo-live"
        order(above, "credited", updates: ["paid", "credited"])
        transaction(above, statuses: flip(50) ? ["PENDING", "FAILED"] : ["SETTLED"])
        transaction(beneath, part: 6, statuses: ["SETTLED"])
        if flip(40) { transaction(beneath, part: 7, statuses: ["SETTLING", "SETTLED"]) }
    }

    /// The same id in a source and in the one that succeeds it.
    private mutating func succeeded(_ trade: Trade) {
        var old = trade
        old.source = "meld-two"
        var new = old
        new.source = "meld-next"
        order(old, "credited", updates: ["paid", "credited"])
        transaction(old, statuses: flip(50) ? ["SETTLING"] : ["SETTLING", "SETTLED"])
        if flip(80) { transaction(new, statuses: flip(30) ? ["SETTLED", "REFUNDED"] : ["SETTLED"]) }
    }

    /// Two orders under one idempotency key.
    private mutating func sharedKey(_ trade: Trade) {
        var other = trade
        other.number = payments
        other.at += 600
        payments += 1
        for each in [trade, other] {
            order(each, "credited", updates: ["credited"], key: name("k", trade.number))
            transaction(each, statuses: flip(80) ? ["SETTLED"] : ["SETTLING"])
        }
    }

    /// A payment that settles to the merchant: polled lines, refunds, disputes and payouts, or lines of a file; or a line in
    /// both, not always of the same payment. Some fail after all, and some payouts are of a status that nobody knows.
    private mutating func bundled(_ trade: Trade) {
        var trade = trade
        trade.source = "push-live"
        trade.direction = "in"
        let id = name("t", trade.number)
        func about(_ id: String) -> String { ",\"parent\":\"\(id)\",\"refs\":\"push:transaction=\(id)\"" }
        order(trade, "credited", updates: flip(20) ? ["paid", "disputed"] : ["paid", "credited"])
        leg(
            trade, "transaction", id, trade.number % 7 == 3 ? ["approved", "failed"] : ["approved"],
            more: ",\"refs\":\"push:transaction=\(id) push:session=\(name("s", trade.number))\"")
        if flip(30) {
            let part = flip(50) ? trade.amount : "1.5"
            leg(
                trade, "refund", id + "r", flip(50) ? ["pending", "refunded"] : ["refunded", "failed"], amount: part,
                more: about(id))
        }
        if flip(25) {
            leg(trade, "dispute", id + "d", flip(50) ? ["open", "lost"] : ["open", "settled"], more: about(id))
        }
        if flip(40) {
            let line =
                "\(id)l,\(flip(70) ? id + "p" : ""),\(name("o", trade.number)),charge,\(trade.amount),,,,,EUR,,,,"
                + "\(time(trade, 90_000).prefix(10)),"
            arrive(.line, trade.source, line)
            if trade.number % 3 != 0 { return }
        }
        if flip(15) { return }
        let kind = flip(90) ? "charge" : "odd_word"
        leg(
            trade, "settlement_line", id + "l", flip(50) ? ["pending", "settled"] : ["settled"],
            amount: flip(85) ? trade.amount : "2",
            more: ",\"kind\":\"\(kind)\"" + about(trade.number % 6 == 0 ? name("t", trade.number + 1) : id))
        if flip(80) {
            let lines = "push:line=\(id)l" + (flip(20) ? " push:line=\(name("t", trade.number + 1))l" : "")
            leg(
                trade, "payout", id + "p", [["odd"], ["odd", "settled"], ["settled"]][min(trade.number % 5, 2)],
                amount: flip(80) ? trade.amount : "7", delay: 90_000,
                more: ",\"refs\":\"\(lines)\"")
        }
    }

    // MARK: what arrives

    private mutating func leg(
        _ trade: Trade, _ resource: String, _ id: String, _ statuses: [String], amount: String? = nil,
        delay: Int64 = 0, more: String
    ) {
        for (step, status) in statuses.enumerated() {
            let text = """
                {"id":"\(id)","at":"\(time(trade, delay))","updated":"\(time(trade, delay + 60 + Int64(step) * 240))",\
                "status":"\(status)","amount":"\(amount ?? trade.amount)","direction":"\(trade.direction)"\(more)}
                """
            arrive(.leg, trade.source, resource + " " + text)
        }
    }

    private func time(_ trade: Trade, _ second: Int64) -> String {
        Self.start.adding(seconds: trade.at + second).description
    }

    private mutating func order(
        _ trade: Trade, _ last: String, updates: [String], sessions: [String]? = nil, expires: Int64? = nil,
        key: String = "", delay: Int64 = 0
    ) {
        for (step, status) in updates.enumerated() {
            let seconds = delay + Int64(step) * 300
            let session = sessions.map { $0[min(step, $0.count - 1)] } ?? name("s", trade.number)
            let isPaid = ["paid", "credited"].contains(status)
            let fields = [
                name("o", trade.number), trade.source, status, trade.amount, "EUR", time(trade, 0),
                time(trade, seconds), trade.direction, session, trade.customer,
                expires.map { Self.start.adding(seconds: $0).description } ?? "", isPaid ? time(trade, seconds) : "",
                status == "credited" ? time(trade, seconds) : "", key, "0.0015", "BTC",
            ]
            arrive(.order, trade.source, fields.joined(separator: ","))
        }
    }

    private mutating func transaction(
        _ trade: Trade, part: Int = 0, statuses: [String], amounts: [String]? = nil, sessions: [String]? = nil,
        from: Int = 0, isQuiet: Bool = false
    ) {
        let id = name("t", trade.number) + (part == 0 ? "" : "-\(part)")
        for (step, status) in statuses.enumerated() {
            let second = Int64(step) * 240 + Int64(part) * 60
            let session = sessions.map { $0[min(step, $0.count - 1)] } ?? name("s", trade.number)
            let amount = amounts.map { $0[min(step, $0.count - 1)] } ?? trade.amount
            arrive(
                .transaction, trade.source,
                element(trade, id, status, amount: amount, second: second, session: session), from: from)
            if isQuiet || WorldBench.heard.contains(trade.source) && flip(75) {
                event(trade, id, status, second: second, session: session, step: step, isQuiet: isQuiet)
            }
        }
    }

    private func element(
        _ trade: Trade, _ id: String, _ status: String, amount: String, second: Int64, session: String
    ) -> String {
        let kind = trade.direction == "in" ? "CRYPTO_PURCHASE" : "CRYPTO_SELL"
        return """
            {"id":"\(id)","createdAt":"\(time(trade, Int64(id.utf8.last ?? 0)))","updatedAt":"\(time(trade, 120 + second))",\
            "transactionType":"\(kind)","status":"\(status)","sourceAmount":\(amount),"sourceCurrencyCode":"EUR",\
            "destinationAmount":0.0015,"destinationCurrencyCode":"BTC","serviceProvider":"MERCURYO",\
            "paymentMethodType":"APPLE_PAY","sessionId":"\(session)","externalCustomerId":"\(trade.customer)"}
            """
    }

    /// Delivered once or again, forged, or forged first and good later.
    private mutating func event(
        _ trade: Trade, _ id: String, _ status: String, second: Int64, session: String, step: Int, isQuiet: Bool
    ) {
        let base = Int(trade.at + 130 + second)
        let body = Capture.body(
            "e-\(id)-\(step)", id, status, second: base, extra: ",\"sessionId\":\"\(session)\"")
        // Those of the other source come as a flood; which run learnt of what counts there.
        let isLive = trade.source == "meld-live"
        let forged = !isQuiet && isLive && flip(4)
        arrive(.event, trade.source, Capture.line(body, received: base + 5, signed: forged ? "x" : nil))
        if flip(25) {
            arrive(
                .event, trade.source,
                Capture.line(
                    body, received: base + (flip(50) ? 400 : 2), retry: 1, signed: isLive && flip(10) ? "x" : nil))
        }
    }

    private mutating func arrive(_ kind: WorldFact.Kind, _ source: String, _ text: String, from: Int = 0) {
        facts.append(
            WorldFact(
                kind: kind, source: source, text: text, payment: UInt64(payments), nights: from...(Self.newsNights - 1))
        )
    }
}
