/// A currency people pay with.
package struct Fiat: Sendable, Hashable {
    package let code: String
    /// Digits behind the point that the currency has.
    package let digits: Int
    /// US dollars per thousand units.
    package let usdPerThousand: Int
    package let countries: [String]
    /// The smallest and largest sum people pay, in minor units.
    package let range: ClosedRange<Int>

    package static let euro = Fiat(
        code: "EUR", digits: 2, usdPerThousand: 1_090, countries: ["FR", "DE", "LT", "ES"], range: 2_000...90_000)
    package static let dollar = Fiat(
        code: "USD", digits: 2, usdPerThousand: 1_000, countries: ["US"], range: 2_000...95_000)
    package static let pound = Fiat(
        code: "GBP", digits: 2, usdPerThousand: 1_270, countries: ["GB"], range: 1_500...70_000)
    package static let yen = Fiat(code: "JPY", digits: 0, usdPerThousand: 7, countries: ["JP"], range: 3_000...95_000)
    package static let dinar = Fiat(
        code: "KWD", digits: 3, usdPerThousand: 3_260, countries: ["KW"], range: 6_000...280_000)
    package static let real = Fiat(
        code: "BRL", digits: 2, usdPerThousand: 180, countries: ["BR"], range: 5_000...400_000)
}

/// An asset people buy; its code carries the chain.
package struct Crypto: Sendable, Hashable {
    package let code: String
    package let digits: Int
    /// US dollars for one.
    package let usd: Int
    package let walletPrefix: String

    package static let all = [
        Crypto(code: "BTC", digits: 8, usd: 65_000, walletPrefix: "bc1q"),
        Crypto(code: "ETH", digits: 18, usd: 3_100, walletPrefix: "0x"),
        Crypto(code: "ETH_ARBITRUM", digits: 18, usd: 3_100, walletPrefix: "0x"),
        Crypto(code: "USDC", digits: 6, usd: 1, walletPrefix: "0x"),
        Crypto(code: "USDC_BASE", digits: 6, usd: 1, walletPrefix: "0x"),
        Crypto(code: "SOL", digits: 9, usd: 140, walletPrefix: "So"),
    ]
}

/// Who carries payments out, how, and in which currency.
package struct Corridor: Sendable, Hashable {
    package let provider: String
    package let method: String
    package let fiat: Fiat
    /// Share of the volume, relative to the other corridors.
    package let weight: Int
    /// Money comes by bank transfer: it takes days and the order stays open that long.
    package var isBankTransfer: Bool { method == "SEPA" || method == "ACH" }

    package static let all = [
        Corridor(provider: "MERCURYO", method: "APPLE_PAY", fiat: .euro, weight: 26),
        Corridor(provider: "MERCURYO", method: "CREDIT_DEBIT_CARD", fiat: .euro, weight: 10),
        Corridor(provider: "BANXA", method: "CREDIT_DEBIT_CARD", fiat: .pound, weight: 9),
        Corridor(provider: "BANXA", method: "SEPA", fiat: .euro, weight: 7),
        Corridor(provider: "COINBASEPAY", method: "APPLE_PAY", fiat: .dollar, weight: 12),
        Corridor(provider: "STRIPE", method: "APPLE_PAY", fiat: .dollar, weight: 12),
        Corridor(provider: "STRIPE", method: "CREDIT_DEBIT_CARD", fiat: .dollar, weight: 7),
        Corridor(provider: "STRIPE", method: "ACH", fiat: .dollar, weight: 3),
        Corridor(provider: "BANXA", method: "CREDIT_DEBIT_CARD", fiat: .yen, weight: 4),
        Corridor(provider: "MERCURYO", method: "CREDIT_DEBIT_CARD", fiat: .dinar, weight: 4),
        Corridor(provider: "BANXA", method: "PIX", fiat: .real, weight: 6),
    ]

    package static let applePayEuro = all[0]
    package static let cardEuro = all[1]
    package static let cardPound = all[2]
    package static let sepa = all[3]
    package static let coinbase = all[4]
    package static let applePayDollar = all[5]
    package static let cardDollar = all[6]
    package static let cardYen = all[8]
    package static let cardDinar = all[9]
    package static let pix = all[10]

    package static func draw(_ random: inout Randomness) -> Corridor {
        var point = random.below(all.reduce(0) { $0 + $1.weight })
        for corridor in all {
            point -= corridor.weight
            if point < 0 { return corridor }
        }
        return all[0]
    }
}
