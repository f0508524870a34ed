import JSON
import Payments

/// One of the linked operations of an element, read as documented.
struct MercuryoOperation {
    /// The key it stands under: `buy`, `mobile_pay`, `buy_acquirer`, `sell`, `withdraw`, `deposit`, or one nobody
    /// knows.
    let kind: String
    let id: String?
    let transactionID: String?
    let merchantTransactionID: String?
    let status: String
    let createdAt: Timestamp
    let updatedAt: Timestamp?
    let fiat: ExactDecimal?
    let fiatCurrency: String?
    let crypto: ExactDecimal?
    let cryptoCurrency: String?
    let hash: String?
    let address: String?
    let method: String?
    let country: String?

    static let purchases = ["mobile_pay", "buy", "buy_acquirer"]
    static let kinds = purchases + ["sell", "withdraw", "deposit"]
    /// What an operation may hold.
    static let fields = [
        "address", "amount", "card_country", "created_at", "currency", "fiat_amount", "fiat_currency", "hash", "id",
        "merchant_transaction_id", "payment_method", "status", "transaction_id", "updated_at", "url", "widget_id",
    ]

    /// Faults name the member under `kind`.
    init(_ value: JSONValue, kind: String) throws(RowFault) {
        self.kind = kind
        func path(_ name: String) -> String { "\(kind).\(name)" }
        func text(_ name: String) throws(RowFault) -> String? { try ElementReader.text(value[name], path(name)) }
        func amount(_ name: String) throws(RowFault) -> ExactDecimal? {
            try ElementReader.amount(value[name], path(name))
        }
        guard let status = try text("status") else { throw RowFault("missing: \(path("status"))") }
        guard let createdAt = try Self.time(value["created_at"], path("created_at")) else {
            throw RowFault("missing: \(path("created_at"))")
        }
        self.status = status
        self.createdAt = createdAt
        updatedAt = try Self.time(value["updated_at"], path("updated_at"))
        id = try text("id")
        transactionID = try text("transaction_id")
        merchantTransactionID = try text("merchant_transaction_id")
        fiat = try amount("fiat_amount")
        fiatCurrency = try text("fiat_currency")
        crypto = try amount("amount")
        cryptoCurrency = try text("currency")
        hash = try text("hash")
        address = kind == "withdraw" ? try text("address") : nil
        method = try text("payment_method")
        country = try text("card_country")
    }

    /// `2026-07-31 12:00:05`: no zone is UTC. Nil for null and the empty text.
    static func time(_ value: JSONValue?, _ path: @autoclosure () -> String) throws(RowFault) -> Timestamp? {
        guard let value, !value.isNull else { return nil }
        guard let text = value.scalarBytes else { throw ElementReader.changed(path(), "string", value) }
        if text.isEmpty { return nil }
        guard let time = Timestamp(utf8: text, assumingUTC: true) else { throw RowFault("\(path()): not a time") }
        return time
    }

    /// The values under the keys of an element, by key; several where an array stands in the place of one.
    static func values(_ element: JSONValue) -> [(kind: String, value: JSONValue)] {
        var found: [(kind: String, value: JSONValue)] = []
        func add(_ kind: String, _ value: JSONValue) {
            if value.isArray {
                for each in value.elements where !each.isNull { found.append((kind, each)) }
            } else if !value.isNull {
                found.append((kind, value))
            }
        }
        for kind in kinds { if let value = element[kind] { add(kind, value) } }
        if !found.isEmpty { return found }
        // An operation that nobody knows yet still is a payment.
        for (key, value) in element.members where value.isObject && value["status"] != nil { add(key, value) }
        return found
    }
}

/// The operations of one element, and which of them says where the payment stands.
struct MercuryoPayment {
    /// The one that the customer pays or is paid by; of a withdrawal or a deposit without one, that.
    let main: MercuryoOperation
    /// What the crypto goes by: a withdrawal of a purchase, a deposit of a sale.
    let linked: MercuryoOperation?
    let all: [MercuryoOperation]
    let statusMap: StatusMap

    init(_ operations: [MercuryoOperation], _ statusMap: StatusMap) throws(RowFault) {
        func furthest(_ kinds: [String]) -> MercuryoOperation? {
            operations.filter { kinds.contains($0.kind) }.max {
                let a = Self.place(Self.reading(of: $0, statusMap).money)
                let b = Self.place(Self.reading(of: $1, statusMap).money)
                return (a, $0.updatedAt ?? $0.createdAt) < (b, $1.updatedAt ?? $1.createdAt)
            }
        }
        let purchase = furthest(MercuryoOperation.purchases)
        let sale = furthest(["sell"])
        let withdrawal = furthest(["withdraw"])
        let deposit = furthest(["deposit"])
        guard let main = purchase ?? sale ?? withdrawal ?? deposit ?? operations.first else {
            throw RowFault("missing: an operation")
        }
        self.main = main
        linked = purchase != nil ? withdrawal : sale != nil ? deposit : nil
        all = operations
        self.statusMap = statusMap
    }

    static func direction(_ kind: String) -> Direction { kind == "sell" || kind == "deposit" ? .out : .in }

    /// An operation read as if the others did not exist, as callbacks tell of it.
    static func reading(of operation: MercuryoOperation, _ map: StatusMap) -> StatusMap.Reading {
        reading(operation.status, kind: operation.kind, hasHash: operation.hash != nil, map)
    }

    static func reading(_ status: String, kind: String, hasHash: Bool, _ map: StatusMap) -> StatusMap.Reading {
        map.reading(
            status,
            .init(
                direction: direction(kind), kind: kind, kindClass: kind == "deposit" && hasHash ? "with_hash" : ""))
    }

    /// `none`, `unknown`, `held`, `taken`, `delivered`, and `returned` over all.
    static func place(_ money: MoneyState) -> Int {
        switch money {
        case .none: 0
        case .unknown: 1
        case .held: 2
        case .taken: 3
        case .delivered: 4
        case .returned: 5
        }
    }

    var isPaid: Bool { main.status == "paid" || main.status == "completed" }

    /// Once the customer has paid, the withdrawal says where the payment stands.
    var deciding: MercuryoOperation {
        guard let linked, linked.kind == "withdraw", isPaid else { return main }
        return linked
    }

    /// What the deciding operation means beside the other one.
    var reading: StatusMap.Reading {
        guard let linked, deciding.kind == main.kind else { return Self.reading(of: deciding, statusMap) }
        let beside = linked.kind == "withdraw" ? "with_withdraw" : "with_deposit_\(linked.status)"
        return statusMap.reading(
            main.status, .init(direction: Self.direction(main.kind), kind: main.kind, kindClass: beside))
    }

    /// The furthest of both, each read for itself and beside the other; never their sum.
    var money: MoneyState {
        let moneys = [reading.money] + (linked.map { [main, $0] } ?? []).map { Self.reading(of: $0, statusMap).money }
        return moneys.max { Self.place($0) < Self.place($1) } ?? reading.money
    }

    /// When the customer paid, or the crypto of a sale had come.
    var takenAt: Timestamp? {
        if MercuryoOperation.purchases.contains(main.kind) { return isPaid ? main.updatedAt : nil }
        guard let linked, linked.kind == "deposit", linked.status == "completed" else { return nil }
        return linked.updatedAt
    }
}
