package import Payments
import Postgres

/// One break as it stands.
package struct Break: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
        case open, acknowledged, resolved
        case writtenOff = "written_off"
    }

    package let id: String
    package let rule: String
    package let subject: String
    package let state: State
    package let severity: Severity
    /// The number of its last event; changes with every event.
    package let version: Int64
    package let source: String?
    package let payment: Int64?
    package let order: String?
    package let transaction: String?
    package let direction: String?
    package let segment: String?
    package let currency: String?
    /// Signed, in major units of `currency`.
    package let difference: ExactDecimal?
    /// In major units of `currency`; zero unless it is primary.
    package let atRisk: ExactDecimal
    package let dueAt: Timestamp?
    package let eventAt: Timestamp?
    package let openedAt: Timestamp
    /// Nil: it is its payment's headline.
    package let primaryBreak: String?
    package let isBaseline: Bool
    package let isReopened: Bool
    /// Not nil: carried since then, because a feed it needs does not reach far enough.
    package let incompleteSince: Timestamp?
    package let owner: String?
    /// JSON: `[{"field","a","b","a_from","b_from"}]`.
    package let facts: String

    init(_ row: Row) throws(PostgresError) {
        id = try row.text("break_id")
        rule = try row.text("rule")
        subject = try row.text("subject")
        state = State(rawValue: try row.text("state")) ?? .open
        severity = Severity(rawValue: try row.text("severity")) ?? .high
        version = try row.int("version")
        source = try row.optionalText("source_id")
        payment = try row.optionalInt("payment_id")
        order = try row.optionalText("order_id")
        transaction = try row.optionalText("transaction_id")
        direction = try row.optionalText("direction")
        segment = try row.optionalText("segment")
        currency = try row.optionalText("currency")
        difference = try row.optionalDecimal("difference")
        atRisk = try row.decimal("at_risk")
        dueAt = try row.optionalTimestamp("due_at")
        eventAt = try row.optionalTimestamp("event_at")
        openedAt = try row.timestamp("opened_at")
        primaryBreak = try row.optionalText("primary_break_id")
        isBaseline = try row.bool("is_baseline")
        isReopened = try row.bool("is_reopened")
        incompleteSince = try row.optionalTimestamp("incomplete_since")
        owner = try row.optionalText("owner")
        facts = try row.text("facts")
    }
}

/// One event of a break's trail.
package struct BreakEvent: Sendable, Hashable {
    package let seq: Int64
    /// opened, changed, healed, reopened, acknowledged, …
    package let event: String
    package let at: Timestamp
    package let actor: String
    package let run: Int64?
    package let stateFrom: String?
    package let stateTo: String
    package let severity: String
    package let difference: ExactDecimal?
    package let currency: String?
    /// JSON.
    package let facts: String
    /// Nil where none was given, or where it has been erased.
    package let reason: String?
    package let digest: [UInt8]

    init(_ row: Row) throws(PostgresError) {
        seq = try row.int("seq")
        event = try row.text("event")
        at = try row.timestamp("at")
        actor = try row.text("actor")
        run = try row.optionalInt("run_id")
        stateFrom = try row.optionalText("state_from")
        stateTo = try row.text("state_to")
        severity = try row.text("severity")
        difference = try row.optionalDecimal("difference")
        currency = try row.optionalText("currency")
        facts = try row.text("facts")
        reason = try row.optionalText("reason")
        digest = try row.bytes("digest")
    }
}
