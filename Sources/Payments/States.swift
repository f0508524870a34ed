/// Which way the fiat moves: `in`, the customer pays; `out`, the customer is paid. Totals, terms and duplicates never
/// mix them.
package enum Direction: String, Sendable, Hashable, CaseIterable {
    case `in`, out
}

/// Where a payment stands, in words common to all providers. The raw status is always kept beside it.
package enum PaymentState: String, Sendable, Hashable, CaseIterable {
    case created, pending, authorized, paid, settling, settled, refunded, disputed, declined, failed, cancelled, expired
    case unknown
}

/// What has happened to the customer's money, whatever the state is called. Rules and totals ask for this.
package enum MoneyState: String, Sendable, Hashable, CaseIterable {
    /// Nothing has moved.
    case none
    /// Authorised, or accepted with nothing left for the customer to do, but not debited for good.
    case held
    /// Debited (on `out`: the crypto or balance was debited).
    case taken
    /// The good has reached the customer (on `out`: the fiat was paid).
    case delivered
    /// It is back with the customer.
    case returned
    /// Nobody can tell.
    case unknown
}

/// A merchant order's status in the book (the words of a book file).
package enum BookStatus: String, Sendable, Hashable, CaseIterable {
    case open, pending, paid, credited, failed, cancelled, expired, refunded, disputed
}

/// What the signature check of one webhook delivery said. Only `valid` counts as evidence (`unsigned` too where the
/// source is declared to send none).
package enum Verdict: String, Sendable, Hashable, CaseIterable {
    case valid, invalid, stale, unsigned
    case noKey = "no_key"
}

/// One kind of evidence of one source.
package enum Feed: String, Sendable, Hashable, CaseIterable {
    case provider, webhook, book, settlement, bank
}

/// How bad a break is. Declared from worst to mildest; `<` means milder.
package enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
    case critical, high, medium, low, info

    /// 5 for critical down to 1 for info.
    package var weight: Int {
        switch self {
        case .critical: 5
        case .high: 4
        case .medium: 3
        case .low: 2
        case .info: 1
        }
    }

    package static func < (a: Severity, b: Severity) -> Bool { a.weight < b.weight }
}
