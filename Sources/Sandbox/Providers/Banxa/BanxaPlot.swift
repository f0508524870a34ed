import Payments

extension Crypto {
    /// Assets whose transfers name a receiver by a tag beside the address.
    static let tagged = [
        Crypto(code: "XRP", digits: 6, usd: 1, walletPrefix: "r"),
        Crypto(code: "XLM", digits: 7, usd: 1, walletPrefix: "G"),
    ]

    var needsTag: Bool { ["XRP", "XLM", "EOS", "ATOM"].contains(code) }
}

/// Payments that only Banxa has.
extension Plot {
    /// Assets with a tag: delivered with it, and once without.
    mutating func tellTags() {
        var lost = scene(day: 4, hour: 6, minute: 40, amount: 33_900)
        lost.pays(in: Crypto.tagged[0])
        lost.trade.quirks.insert(.sparse)
        settle(&lost)
        add(lost)
        raise(
            "destination_tag_missing", subject(lost), lost, severity: "high",
            why: "XRP went to a shared address without a tag")
        for (index, crypto) in Crypto.tagged.enumerated() {
            var story = scene(day: 3, hour: 18, minute: index * 7, amount: 33_100 + index)
            story.pays(in: crypto)
            settle(&story)
            add(story)
            twin(subject(story), "\(profile.name): \(crypto.code) with its tag")
        }
    }
}

extension Plot {
    /// Declined for days, then back where it began: a card that waits for payment would be held money again, and so more
    /// than a state that moved.
    mutating func tellRegression() {
        var story = scene(day: 4, hour: 19, amount: 43_010)
        story.refuse(.declined)
        story.wait(until: shape.moment(day: shape.days, hour: 12))
        story.provider(.pendingCreated)
        add(story)
        raise(
            "status_regression", subject(story), story, opens: 2, severity: "low",
            why: "declined for days, then pending again")
    }
}

extension Story {
    /// Another asset than the one drawn.
    mutating func pays(in crypto: Crypto) {
        let bought = trade.fiatAmount.scaled(by: 1, over: 2, digits: crypto.digits)
        trade.crypto = crypto
        trade.cryptoAmount = bought
        trade.wallet = crypto.walletPrefix + trade.wallet.suffix(33)
        trade.quirks.remove(.sparse)
        order.destinationAmount = bought
        order.destinationCurrency = crypto.code
        order.wallet = trade.wallet
    }
}
