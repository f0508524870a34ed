package import Payments

/// How large a world is and when its nights are. Everything in a world follows from this value.
package struct WorldShape: Sendable, Hashable {
    package let seed: UInt64
    /// Transactions of Meld's source, planted ones included (a world never has fewer than its planted ones).
    package let transactions: Int
    /// Business days before the first night.
    package let days: Int
    package let nights: Int
    /// Orders are numbered from here on: worlds side by side in one account share no order id.
    package var firstOrder = 0

    /// The first business day, 2026-06-01, a Monday.
    package static let firstDay = Timestamp(
        seconds: Int64(Timestamp.daysSinceEpoch(year: 2026, month: 6, day: 1)) * 86_400)

    /// Plants need eight days of past; three nights show every healing.
    package init(seed: UInt64, transactions: Int = 2_000, days: Int = 10, nights: Int = 3) {
        self.seed = seed
        self.transactions = max(transactions, 1)
        self.days = max(days, 10)
        self.nights = max(nights, 3)
    }

    /// How many payments a source of `provider` has at least: beside Meld, who carries the volume, the others are small.
    package func size(of provider: String) -> Int {
        provider == Names.provider ? transactions : max(transactions / 20, 40)
    }

    /// All business days: the last night comes after the last of them.
    package var allDays: Int { days + nights - 1 }

    /// A moment of business day `day` (from 0).
    package func moment(day: Int, hour: Int, minute: Int = 0, second: Int = 0) -> Timestamp {
        Self.firstDay.adding(seconds: Int64(day * 86_400 + hour * 3_600 + minute * 60 + second))
    }

    /// When night `number` (from 1) runs: its ledger time.
    package func night(_ number: Int) -> Timestamp { moment(day: days + number - 1, hour: 2, minute: 30) }

    /// When the merchant exports the book for that night.
    package func bookExport(_ number: Int) -> Timestamp { moment(day: days + number - 1, hour: 2) }

    /// Up to when that night's webhook capture reaches.
    package func captureEnd(_ number: Int) -> Timestamp { moment(day: days + number - 1, hour: 2, minute: 10) }
}
