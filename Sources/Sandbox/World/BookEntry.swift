package import Payments

/// One order of the merchant's own book, with everything the book will ever say about it.
package struct BookEntry: Sendable {
    package struct Step: Sendable {
        package let at: Timestamp
        package let status: BookStatus
    }

    package var id: String
    /// The source it was sent to.
    package var source = Names.source
    package var createdAt: Timestamp
    /// When the customer's session lapses.
    package var expiresAt: Timestamp
    /// False: the book keeps no such time of this order.
    package var showsExpiry = true
    package var steps: [Step]
    package var direction: Direction
    package var amount: Amount
    package var currency: String
    package var amountDigits: Int
    package var destinationAmount: Amount
    package var destinationCurrency: String
    package var destinationDigits: Int
    package var wallet: String
    package var customer: Customer
    package var method: String
    package var country: String
    package var headlessOrder: String
    package var session: String
    /// Known to the book once the provider reported it; nil: never.
    package var transaction: String?
    package var idempotencyKey: String
    /// The book took another order's session for this one's until `from`; nil: it never did.
    package var borrowed: Borrowed?
    /// The book wrote a wrong amount until `from`; nil: its first amount stays.
    package var correction: Correction?

    package struct Correction: Sendable {
        package let from: Timestamp
        package let amount: Amount
    }

    package struct Borrowed: Sendable {
        package let session: String
        /// Nil: nobody has noticed yet.
        package let from: Timestamp?
    }

    /// The session as the book has it at `moment`.
    package func session(at moment: Timestamp) -> String {
        guard let borrowed, borrowed.from.map({ moment < $0 }) ?? true else { return session }
        return borrowed.session
    }

    /// The amount as the book has it at `moment`.
    package func amount(at moment: Timestamp) -> Amount {
        if let correction, correction.from <= moment { return correction.amount }
        return amount
    }

    /// The last change of anything by `moment`.
    package func updatedAt(at moment: Timestamp) -> Timestamp {
        var changed = step(at: moment)?.at ?? createdAt
        if let from = borrowed?.from, from <= moment { changed = max(changed, from) }
        if let correction, correction.from <= moment { return max(changed, correction.from) }
        return changed
    }

    package func step(at moment: Timestamp) -> Step? { steps.last { $0.at <= moment } }
    package func status(at moment: Timestamp) -> BookStatus? { step(at: moment)?.status }

    /// When the order first came to `status`, if it has by `moment`.
    package func moment(of status: BookStatus, by moment: Timestamp) -> Timestamp? {
        steps.first { $0.status == status && $0.at <= moment }?.at
    }
}
