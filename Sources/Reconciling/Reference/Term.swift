package import Payments

/// How long a payment may take from the moment its money was taken until it is delivered to the customer or settled to
/// the merchant. The most specific term wins; nil means any.
package struct Term: Sendable, Hashable {
    package enum Unit: String, Sendable, CaseIterable {
        case minutes, hours
        case businessDays = "business_days"
    }

    package var source: String?
    /// Every source of that provider.
    package var provider: String?
    package var method: String?
    package var direction: Direction?
    package var currency: String?
    package var amount: Int
    package var unit: Unit
    /// Time after local midnight, as PostgreSQL reads an interval (`17:00`): what is taken later counts from the next
    /// day, and the due day ends then. Nil: due at the local time of day at which the money was taken.
    package var cutOff: String?
    /// IANA name of the zone in which days are counted.
    package var zone: String
    /// Calendars whose holidays are no business days, joined by `+`: `US+BR`. Empty: weekends only.
    package var calendars: String

    package init(
        source: String? = nil, provider: String? = nil, method: String? = nil, direction: Direction? = nil,
        currency: String? = nil, amount: Int, unit: Unit, cutOff: String? = nil, zone: String = "UTC",
        calendars: String = ""
    ) {
        self.source = source
        self.provider = provider
        self.method = method
        self.direction = direction
        self.currency = currency
        self.amount = amount
        self.unit = unit
        self.cutOff = cutOff
        self.zone = zone
        self.calendars = calendars
    }

    /// The term as one line of text, the form its digest is taken over.
    var canonical: String {
        let scope = [source ?? "", provider ?? "", method ?? "", direction?.rawValue ?? "", currency ?? ""]
        return (scope + ["\(amount)", unit.rawValue, cutOff ?? "", zone, calendars]).joined(separator: "|")
    }
}
