import Payments

/// What a provider that settles to the merchant releases: lines, and the payouts that bundle them. Computed from the
/// payments of a source, so that lists, files and truth tell the same.
struct Settlement: Sendable {
    enum Kind: String, Sendable {
        case charge, refund, chargeback
        case chargebackReversal = "chargeback_reversal"
    }

    /// One amount on its way to the merchant, signed from the merchant's view.
    struct Line: Sendable {
        let kind: Kind
        /// The index of the payment in the source.
        let trade: Int
        /// Which of the payment's refunds or disputes it is; 0 for a charge and a full return.
        let part: Int
        /// When it happened to the customer.
        let at: Timestamp
        let gross: Amount
        /// Never positive.
        let fee: Amount
        let currency: String
        /// The index of its payout; nil: nobody has released it.
        var payout: Int?

        var net: Amount { gross + fee }
    }

    /// One transfer to the merchant; a negative amount is withdrawn.
    struct Payout: Sendable {
        let number: Int
        let at: Timestamp
        let currency: String
        /// Indices of its lines.
        let lines: [Int]
        /// What is transferred: its lines less what nobody explains.
        let amount: Amount
        /// What is missing against its lines.
        let shortfall: Amount
    }

    /// What a payout lacks that is not what its lines come to.
    private static let shortfall = Amount(1_727, digits: 2)

    private(set) var lines: [Line] = []
    private(set) var payouts: [Payout] = []

    /// - Parameters:
    ///   - source: whose payments; those that pay customers out are left out.
    ///   - fee: what the provider keeps of a charge, not negative. Refunds and chargebacks give none back.
    ///   - release: the moment of the transfer that takes along what happened at a moment: for a charge, its turn to
    ///     `settled`; for a refund or chargeback, that moment itself.
    init(
        _ source: SimulatedSource, fee: (Trade) -> Amount = { _ in .zero }, release: (Timestamp) -> Timestamp = { $0 }
    ) {
        var moments: [Timestamp?] = []
        for (index, trade) in source.trades.enumerated() where trade.direction == .in {
            for (line, moment) in Self.lines(of: trade, index, fee: fee(trade)) {
                lines.append(line)
                moments.append(moment.map(release))
            }
        }
        bundle(
            moments, short: Set(source.trades.indices.filter { source.trades[$0].quirks.contains(.shortPayout) }))
    }

    /// What a payment's charge, returns and disputes amount to, each with when it can be released; nil: never.
    private static func lines(of trade: Trade, _ index: Int, fee: Amount) -> [(Line, Timestamp?)] {
        func first(_ status: Status) -> Timestamp? { trade.steps.first { $0.status == status }?.at }
        guard let taken = first(.settling) else { return [] }
        let currency = trade.corridor.fiat.code
        func line(_ kind: Kind, _ part: Int, _ at: Timestamp, _ gross: Amount, fee: Amount = .zero) -> Line {
            Line(kind: kind, trade: index, part: part, at: at, gross: gross, fee: -fee, currency: currency)
        }
        var lines: [(Line, Timestamp?)] = [(line(.charge, 0, taken, trade.fiatAmount, fee: fee), first(.settled))]
        for (part, refund) in trade.returns.enumerated() where refund.failedAt == nil {
            lines.append((line(.refund, part, refund.at, -refund.amount), refund.at))
        }
        for (part, dispute) in trade.disputes.enumerated() {
            lines.append((line(.chargeback, part, dispute.at, -dispute.amount), dispute.at))
            if let ended = dispute.ended, ended.isWon {
                lines.append((line(.chargebackReversal, part, ended.at, dispute.amount), ended.at))
            }
        }
        return lines
    }

    /// One payout for each moment and currency.
    private mutating func bundle(_ moments: [Timestamp?], short: Set<Int>) {
        struct Key: Hashable {
            let at: Timestamp
            let currency: String
        }
        var bundles: [Key: [Int]] = [:]
        for (index, moment) in moments.enumerated() {
            if let moment { bundles[Key(at: moment, currency: lines[index].currency), default: []].append(index) }
        }
        for (key, members) in bundles.sorted(by: { ($0.key.at, $0.key.currency) < ($1.key.at, $1.key.currency) }) {
            let number = payouts.count
            let isShort = members.contains { lines[$0].kind == .charge && short.contains(lines[$0].trade) }
            let shortfall = isShort ? Self.shortfall : .zero
            for index in members { lines[index].payout = number }
            payouts.append(
                Payout(
                    number: number, at: key.at, currency: key.currency, lines: members,
                    amount: members.reduce(.zero) { $0 + lines[$1].net } - shortfall, shortfall: shortfall))
        }
    }

    /// The lines of a payout.
    func lines(of payout: Payout) -> [Line] { payout.lines.map { lines[$0] } }
}

extension Trade {
    /// Everything that was given back, oldest first: parts, and the full return that is a turn of the payment.
    var returns: [Refund] {
        let full = steps.filter { $0.status == .refunded }.map { step in
            Refund(at: step.at, amount: refunds.reduce(fiatAmount) { $1.failedAt == nil ? $0 - $1.amount : $0 })
        }
        return (refunds + full).sorted { $0.at < $1.at }
    }
}
