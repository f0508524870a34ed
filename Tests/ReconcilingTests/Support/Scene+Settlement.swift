import Payments
import Postgres
import Reconciling

extension Scene {
    /// A scene with a source `push-live` that settles to the merchant, whose provider, book and lines reach up to `reach`.
    static func settling(reach: String = "2026-01-20T12:00:00Z") throws -> Scene {
        let scene = try Scene(reach: reach)
        try scene.source("push-live", provider: "push", settlesTo: "merchant")
        for feed in ["provider", "book", "settlement"] { try scene.feed(feed, source: "push-live", reach: reach) }
        return scene
    }

    /// A polled record that is no payment, of `push-live` unless said otherwise, about `parent`.
    func leg(
        _ resource: String, _ id: String, of parent: String? = nil, source: String = "push-live",
        kind: String? = nil, status: String = "settled", state: String = "settled", money: String = "none",
        charged: String? = nil, delivered: String? = nil, returned: String? = nil, disputed: String? = nil,
        fee: String? = nil, currency: String = "USD", at moment: String = "2026-01-12T00:00:00Z",
        refs: [String] = [], direction: String = "in", flags: [String] = [], observed: String? = nil
    ) throws {
        serial += 1
        try connection.execute(
            "delete from tieout.transaction where account_id = $1 and source_id = $2 and resource = $3 and transaction_id = $4",
            [.int(Self.account), .text(source), .text(resource), .text(id)])
        let about = parent.map { ["push:transaction=\($0)"] } ?? []
        let moment = SQLValue.timestamp(Timestamp(moment))
        let observed = observed.map { SQLValue.timestamp(Timestamp($0)) } ?? moment
        try insert(
            "tieout.transaction",
            [
                ("account_id", .int(Self.account)), ("source_id", .text(source)), ("resource", .text(resource)),
                ("transaction_id", .text(id)), ("parent_id", .text(parent)), ("run_id", 1), ("observed_at", observed),
                ("request_started_at", observed), ("version_time", moment), ("state_rank", 1), ("created_at", moment),
                ("direction", .text(direction)), ("kind", .text(kind)), ("raw_status", .text(status)),
                ("state", .text(state)), ("money", .text(money)), ("is_final", false), ("taken_at", moment),
                ("charged", decimal(charged)), ("charged_currency", .text(currency)), ("delivered", decimal(delivered)),
                ("delivered_currency", .text(delivered == nil ? nil : currency)), ("returned", decimal(returned)),
                ("disputed", decimal(disputed)), ("fee_total", decimal(fee)),
                ("fee_currency", .text(fee == nil ? nil : currency)),
                ("refs", .textArray(Set(refs + about).sorted())), ("flags", .textArray(flags)), ("evidence_pack", 1),
                ("evidence_offset", 0), ("evidence_length", 0), ("raw_hash", hash(serial)),
                ("content_hash", hash(serial)),
            ])
    }

    /// A polled line of `push-live`: gross, fee (negative) and what is left of it.
    func line(
        _ id: String, of parent: String? = nil, kind: String = "charge", gross: String, fee: String? = nil,
        net: String? = nil, state: String = "settled", payout: String? = nil, source: String = "push-live",
        at moment: String = "2026-01-12T00:00:00Z", direction: String = "in", flags: [String] = []
    ) throws {
        try leg(
            "settlement_line", id, of: parent, source: source, kind: kind, status: state, state: state, charged: gross,
            delivered: net ?? gross, fee: fee, at: moment, refs: payout.map { ["push:payout=\($0)"] } ?? [],
            direction: direction, flags: flags)
    }

    /// A polled payout of `push-live` that names lines.
    func payout(
        _ id: String, amount: String, lines: [String] = [], source: String = "push-live",
        at moment: String = "2026-01-13T00:00:00Z"
    ) throws {
        try leg("payout", id, source: source, delivered: amount, at: moment, refs: lines.map { "push:line=\($0)" })
    }

    /// A payment of `push-live`, taken, and its order.
    func paid(
        _ id: String, charged: String = "100", status: String = "credited", returned: String? = nil,
        created: String = "2026-01-10T10:00:00Z", money: String = "taken", state: String = "paid",
        direction: String = "in"
    ) throws {
        try transaction(
            id, source: "push-live", status: "approved", state: state, money: money, charged: charged,
            created: created, refs: ["push:transaction=\(id)", "book:order=O-\(id)"], returned: returned, flags: [],
            direction: direction)
        try order(
            "O-\(id)", source: "push-live", status: status, amount: charged, created: created, direction: direction)
    }

    /// A line of a settlement file of `source`.
    func fileLine(
        _ id: String, order: String? = nil, kind: String = "charge", word: String? = nil, gross: String,
        fee: String? = nil, net: String? = nil, payout: String? = "P-1", source: String = "dlocal-live",
        currency: String = "USD", transactionAmount: String? = nil, transactionCurrency: String? = nil,
        at moment: String = "2026-01-12T00:00:00Z", flags: [String] = [], refs: [String] = []
    ) throws {
        serial += 1
        try insert(
            "tieout.settlement_line",
            [
                ("account_id", .int(Self.account)), ("source_id", .text(source)), ("line_id", .text(id)), ("run_id", 1),
                ("observed_at", .timestamp(Timestamp(moment))), ("request_started_at", .timestamp(Timestamp(moment))),
                ("version_time", .timestamp(Timestamp(moment))), ("state_rank", 1), ("payout_id", .text(payout)),
                ("kind", .text(kind)), ("type_word", .text(word ?? kind)), ("state", "settled"),
                ("gross", decimal(gross)), ("fee", decimal(fee)), ("net", decimal(net ?? gross)),
                ("currency", .text(currency)), ("transaction_amount", decimal(transactionAmount)),
                ("transaction_currency", .text(transactionCurrency)), ("settled_at", .timestamp(Timestamp(moment))),
                ("refs", .textArray((refs + (order.map { ["book:order=\($0)"] } ?? [])).sorted())),
                ("flags", .textArray(flags)), ("file_name", "report.csv"), ("file_digest", hash(1)),
                ("line_no", .int(serial)), ("content_hash", hash(serial)),
            ])
    }

    /// A payout that the head of a settlement file states.
    func filePayout(
        _ id: String, amount: String, items: Int64? = nil, source: String = "dlocal-live", currency: String = "USD",
        at moment: String = "2026-01-12T00:00:00Z"
    ) throws {
        serial += 1
        try insert(
            "tieout.payout",
            [
                ("account_id", .int(Self.account)), ("source_id", .text(source)), ("payout_id", .text(id)),
                ("run_id", 1), ("observed_at", .timestamp(Timestamp(moment))),
                ("request_started_at", .timestamp(Timestamp(moment))), ("version_time", .timestamp(Timestamp(moment))),
                ("state_rank", 1), ("amount", decimal(amount)), ("currency", .text(currency)),
                ("paid_at", .timestamp(Timestamp(moment))), ("items", .int(items)), ("file_name", "report.csv"),
                ("file_digest", hash(1)), ("line_no", .int(serial)), ("content_hash", hash(serial)),
            ])
    }

    /// One column of `scope.transaction` of one transaction, as text, by the live view.
    func seen(_ column: String, _ id: String) throws -> String? {
        try connection.query(
            "select \(column)::text as value from scope.transaction where account_id = $1 and transaction_id = $2",
            [.int(Self.account), .text(id)]
        ).only().optionalText("value")
    }

    /// What side B of a break says of one field.
    func fact(_ field: String, of found: Break) throws -> String? {
        try connection.query(
            "select f.value ->> 'b' as b from jsonb_array_elements($1::jsonb) as f (value) where f.value ->> 'field' = $2",
            [.json(found.facts), .text(field)]
        ).first?.optionalText("b")
    }
}
