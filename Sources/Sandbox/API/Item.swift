import Payments

/// One element of one list of a provider's API: what decides whether and where it is listed. What it looks like is
/// rendered when it is asked for.
struct Item: Sendable {
    /// Which list it is on, by a name of the provider's simulator: `transaction`, `refund`, `payout`, …
    let shelf: String
    /// As single reads name it.
    let id: String
    /// As lists order and filter by, in the precision that the API has.
    let createdAt: Timestamp
    /// From when on it is there.
    let visibleFrom: Timestamp
    /// From when on it is gone again; nil: it stays.
    var visibleUntil: Timestamp?
    /// What it is about: the index of the trade in the source, or whatever else the simulator keeps.
    let subject: Int
    /// Which of several that one subject has.
    var part = 0

    init(
        shelf: String = Item.transactions, id: String, createdAt: Timestamp, visibleFrom: Timestamp, subject: Int,
        part: Int = 0
    ) {
        self.shelf = shelf
        self.id = id
        self.createdAt = createdAt
        self.visibleFrom = visibleFrom
        self.subject = subject
        self.part = part
    }

    /// The shelf of the payments themselves.
    static let transactions = "transaction"

    func isVisible(at moment: Timestamp) -> Bool {
        visibleFrom <= moment && visibleUntil.map { moment < $0 } != false
    }
}

/// How an element is looked at.
struct View: Sendable {
    let moment: Timestamp
    /// What the request chose of several ways to write it: a version, a case of names.
    var dialect = ""
    /// The opaque key of the row in a list; nil in a single read.
    var key: String?
}

/// What a list is asked for, whatever words the provider has for it.
struct ListAsk: Sendable {
    /// What selects rows; position and limit are no part of it.
    struct Filter: Sendable, Hashable {
        /// Values of which a row must have one, by the name of the field (`SimulatedProvider.value`).
        var fields: [String: [String]] = [:]
        /// The first moment of creation that is listed.
        var from: Timestamp?
        /// The first moment of creation that is no longer listed.
        var until: Timestamp?
        /// Bounds of the amount charged, both included.
        var least: Amount?
        var most: Amount?
    }

    /// Where the page begins.
    enum Position: Sendable, Hashable {
        case start
        /// Behind, or before, the row with an opaque key that was given out.
        case after(key: String), before(key: String)
        /// Behind, or before, the row with an id.
        case afterID(String), beforeID(String)
        /// So many rows down.
        case offset(Int)
    }

    var shelf = Item.transactions
    var filter = Filter()
    var position = Position.start
    var limit: Int
    var isOldestFirst = false
    /// Handed to `row`, as `View.dialect`.
    var dialect = ""

    /// It names a position that is not the start.
    var hasCursor: Bool { position != .start && position != .offset(0) }
    var hasWindow: Bool { filter.from != nil || filter.until != nil }
}

extension Timestamp {
    /// The next moment that can be told apart: turns an inclusive bound into an exclusive one and back.
    var next: Timestamp { Timestamp(microseconds: microseconds + 1) }
}

/// One page of a list.
struct Page {
    /// Rendered, in the order listed.
    var rows: [[UInt8]] = []
    /// Opaque keys, row by row.
    var keys: [String] = []
    var ids: [String] = []
    /// Rows before the page.
    var offset = 0
    /// Rows behind the page, as far as is told.
    var remaining = 0
    /// Rows of the whole list, as far as is told.
    var total = 0
    /// The opaque cursor to go on with; nil: nothing follows.
    var next: String?
    /// Its moment.
    let moment: Timestamp

    /// `[…,…]`
    var array: [UInt8] {
        var joined: [UInt8] = [UInt8(ascii: "[")]
        joined.reserveCapacity(rows.reduce(2) { $0 + $1.count + 1 })
        for (index, row) in rows.enumerated() {
            if index > 0 { joined.append(UInt8(ascii: ",")) }
            joined += row
        }
        joined.append(UInt8(ascii: "]"))
        return joined
    }
}

/// What a request asks for.
enum Route {
    case list(ListAsk)
    /// One record by its id; `dialect` is handed to `row`.
    case one(shelf: String, id: String, dialect: String = "")
    /// Anything else; answered at the sandbox's moment, from visible items only.
    case other(@Sendable (Answering) throws(Refusal) -> APIResponse)
}

/// What an answer of a route of its own may look at.
struct Answering {
    let moment: Timestamp
    /// Whether an item is there for whoever asks now.
    let isVisible: (Item) -> Bool
}
