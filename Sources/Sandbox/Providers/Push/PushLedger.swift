import Payments

/// The ledger behind an account at Push Cash: a signed transaction for each approved intent, refund and dispute, and one
/// transfer a day, at 16:00 in New York, that nets what settles on it.
struct PushLedger: Sendable {
    enum Kind: Sendable {
        case intent, refund, dispute, transfer, unreconciled
    }

    struct Line: Sendable {
        let id: String
        let kind: Kind
        /// The index of the payment in the source; nil for a transfer's own and for what belongs to none.
        let trade: Int?
        /// The id behind it.
        let sourceID: String?
        let at: Timestamp
        /// Cents, signed.
        let cents: Int
        /// When it settles; nil: never.
        let settledAt: Timestamp?
        /// The index of its transfer; nil: in none.
        var transfer: Int?
        /// It settles, and no transfer takes it along.
        let isLeftOut: Bool
    }

    struct Transfer: Sendable {
        let id: String
        let at: Timestamp
        let cents: Int
        /// Indices of its lines, without its own and what is hidden.
        let lines: [Int]
        /// Cents that it lacks against its lines: a fee that none of them shows.
        let shortfall: Int
        /// What the older ledger offsets it with.
        var own: Int?
    }

    /// What a transfer lacks that is not what its lines come to.
    private static let shortfall = 1_727

    private(set) var lines: [Line] = []
    private(set) var transfers: [Transfer] = []
    /// Where the line of each approved intent stands, by its payment.
    private(set) var places: [Int: Int] = [:]
    private let seed: UInt64

    init(_ source: SimulatedSource, isOld: Bool) {
        seed = source.seed
        var short: [Timestamp: Int] = [:]
        for (index, trade) in source.trades.enumerated() { add(trade, index, &short) }
        bundle(short, isOld: isOld)
    }

    /// The first 16:00 in New York at or after `moment`. The worlds lie in summer, at four hours behind UTC.
    static func transfer(atOrAfter moment: Timestamp) -> Timestamp {
        let noon = Int64(20 * 3_600)
        let seconds = WireTime.seconds(moment) + (moment.microseconds % 1_000_000 == 0 ? 0 : 1)
        let days = (seconds - noon + 86_399) / 86_400
        return Timestamp(seconds: days * 86_400 + noon)
    }

    /// An id of a payment's refund, dispute or line.
    func id(_ kind: String, _ trade: Trade, _ part: Int) -> String {
        var random = Randomness(seed: seed, 41, Identifiers.fold("\(kind)/\(trade.id)/\(part)"))
        return "\(kind)_" + Identifiers.base58(20, &random)
    }

    /// The id of the transfer of a moment.
    static func transferID(_ at: Timestamp, seed: UInt64) -> String {
        var random = Randomness(seed: seed, 42, UInt64(bitPattern: at.microseconds))
        return "transfer_" + Identifiers.base58(20, &random)
    }

    static func cents(_ amount: Amount) -> Int { Int(amount.units / 10_000_000_000_000_000) }

    private mutating func add(_ trade: Trade, _ index: Int, _ short: inout [Timestamp: Int]) {
        guard let taken = trade.steps.first(where: { $0.status == .settling })?.at else { return }
        let sign = trade.direction == .in ? 1 : -1
        let settled = trade.steps.first { $0.status == .settled }?.at
        func settle(_ moment: Timestamp?) -> Timestamp? { moment.map { Self.transfer(atOrAfter: $0) } }
        func append(
            _ kind: Kind, _ part: Int, _ sourceID: String, _ at: Timestamp, _ cents: Int, _ settledAt: Timestamp?
        ) {
            lines.append(
                Line(
                    id: id("txn", trade, lines.count), kind: kind, trade: index, sourceID: sourceID, at: at,
                    cents: cents, settledAt: settledAt, transfer: nil, isLeftOut: trade.quirks.contains(.leftOut)))
        }
        places[index] = lines.count
        append(.intent, 0, trade.id, taken, sign * Self.cents(trade.fiatAmount), settle(settled))
        if trade.quirks.contains(.shortPayout), let settled {
            short[Self.transfer(atOrAfter: settled), default: 0] += Self.shortfall
        }
        for (part, refund) in trade.returns.enumerated() where refund.failedAt == nil {
            append(.refund, part, id("refund", trade, part), refund.at, -Self.cents(refund.amount), settle(refund.at))
        }
        for (part, dispute) in trade.disputes.enumerated() {
            let amount = Self.cents(dispute.amount)
            append(.dispute, part, id("dispute", trade, part), dispute.at, -amount, settle(dispute.at))
            if let ended = dispute.ended, ended.isWon {
                append(.dispute, part, id("dispute", trade, part), ended.at, amount, settle(ended.at))
            }
        }
    }

    /// One transfer for each day on which something settles.
    private mutating func bundle(_ short: [Timestamp: Int], isOld: Bool) {
        var days: [Timestamp: [Int]] = [:]
        for (index, line) in lines.enumerated() where !line.isLeftOut {
            if let day = line.settledAt { days[day, default: []].append(index) }
        }
        for (day, members) in days.sorted(by: { $0.key < $1.key }) {
            let transfer = Self.transferID(day, seed: seed)
            let cents = members.reduce(0) { $0 + lines[$1].cents } - (short[day] ?? 0)
            for index in members { lines[index].transfer = transfers.count }
            var made = Transfer(
                id: transfer, at: day, cents: cents, lines: members, shortfall: short[day] ?? 0)
            if isOld {
                var random = Randomness(seed: seed, 44, UInt64(bitPattern: day.microseconds))
                made.own = lines.count
                lines.append(
                    Line(
                        id: "txn_" + Identifiers.base58(20, &random), kind: .transfer, trade: nil, sourceID: transfer,
                        at: day, cents: -cents, settledAt: day, transfer: transfers.count, isLeftOut: false))
            }
            transfers.append(made)
        }
    }
}
