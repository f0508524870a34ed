import Payments

/// The plays, told for whichever provider it is.
extension Plot {
    /// Everything that the provider can play, less what it cannot as it is switched.
    mutating func play(without left: Set<Play> = []) {
        for play in Play.allCases where profile.plays.contains(play) && !left.contains(play) { tell(play) }
    }

    /// One play at its place in time: each has an hour of its own, and amounts of its own.
    private mutating func tell(_ play: Play) {
        switch play {
        case .duplicateCharge, .refundedSurplus: charges(play)
        case .paidUnsettled, .deliveredLate: unsettled(play)
        case .amountMismatch, .currencyMismatch: amounts(play)
        case .expiredButPaid, .revived, .acceptedAsFailed, .expiredSession: lapses(play)
        case .takenNotReturned, .creditedUnpaid, .creditedReturned, .settledUncredited, .bookConflict: states(play)
        case .bookMissing, .providerMissing: sides(play)
        case .webhookMissing, .webhookForged, .webhookConflict, .statusRegression: signals(play)
        case .unknownStatus, .changedType, .testMode: oddities(play)
        case .refundMismatch, .disputed: returns(play)
        case .payoutVariance: payouts()
        }
    }

    // MARK: words of the plays

    /// A new order of a usual kind, whose customer nobody else shares. `amount`: minor units.
    mutating func scene(day: Int, hour: Int, minute: Int = 0, amount: Int, corridor: Int = 0) -> Story {
        var story = story(
            day: day, hour: hour, minute: minute, corridor: profile.corridors[corridor % profile.corridors.count],
            amount: amount)
        story.trade.linking = .both
        return story
    }

    func subject(_ story: Story) -> String { Subject.transaction(story.trade.id, source: casting.source) }
    func order(_ story: Story) -> String { Subject.order(story.order.id) }
    /// What the provider has of an order that the book knows nothing paid of.
    func providerOnly(_ story: Story) -> String { (-story.trade.sourceAmount).plain }

    /// Writes down what a story must raise.
    mutating func raise(
        _ rule: String, _ subject: String, _ story: Story, or: String? = nil, opens: Int = 1, severity: String,
        worse: [Int: String] = [:], heals: Int? = nil, difference: String = Convention.noAmount,
        currency: String? = nil, isPrimary: Bool = true, why: String
    ) {
        plant(
            Planted(
                rule, subject, or: or, nights: shape.nights, opens: opens, severity: severity, worse: worse,
                heals: heals, difference: difference, currency: currency ?? story.trade.sourceCurrency,
                isPrimary: isPrimary, why: "\(profile.name): \(why)"))
    }

    /// From its start to its good end, as the provider's payments go.
    func settle(_ story: inout Story) { SimulatorCatalogue.entry(profile.name)?.settle(&story) }
}
