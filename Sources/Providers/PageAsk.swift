package import Payments

/// One request for a page of a list: a window of creation time and a position in it.
package struct PageAsk: Sendable, Hashable {
    /// Which of the two cursor names of a list is used. What `after` means (further down the list, or later in time) is
    /// learnt from the rows, never assumed.
    package enum Edge: String, Sendable, Hashable, CaseIterable {
        case after, before

        package var other: Edge { self == .after ? .before : .after }
    }

    /// Rows created before this moment are not wanted. Overlap for unclear zones and bounds is already inside.
    package var from: Timestamp?
    /// Rows created after this moment are not wanted; nil: the open end.
    package var to: Timestamp?
    /// The provider's own words for the position; nil: the first page.
    package var cursor: String?
    /// How `cursor` is sent, where the list knows two ways.
    package var edge: Edge
    package var limit: Int
    /// When the walk began, for lists that must be given an end; nil: not known.
    package var asOf: Timestamp?

    package init(from: Timestamp?, to: Timestamp?, cursor: String? = nil, edge: Edge = .after, limit: Int) {
        self.from = from
        self.to = to
        self.cursor = cursor
        self.edge = edge
        self.limit = limit
    }

    /// The same as of the moment at which its walk began.
    package func stated(asOf moment: Timestamp) -> PageAsk {
        var ask = self
        ask.asOf = moment
        return ask
    }
}

/// What a walk must know of one row of a page to judge its progress.
package struct RowFacts: Sendable, Hashable {
    /// The record's id, else a digest of the element.
    package let id: String
    package let createdAt: Timestamp?
    /// It belongs to another account: no total counts it.
    package let isStranger: Bool

    package init(id: String, createdAt: Timestamp?, isStranger: Bool = false) {
        self.id = id
        self.createdAt = createdAt
        self.isStranger = isStranger
    }
}

/// What a walk must know of one page.
package struct PageFacts: Sendable, Hashable {
    package var rows: [RowFacts]
    /// The position behind the last row; nil: the page names none.
    package var next: String?
    /// Rows beyond this page, where the provider says so.
    package var remaining: Int?
    /// Rows that match the window, where the provider says so.
    package var total: Int?
    /// The page says in so many words that none follows (`has_more: false`, `next_cursor: null`).
    package var saysEnd: Bool

    package init(
        rows: [RowFacts], next: String?, remaining: Int? = nil, total: Int? = nil, saysEnd: Bool = false
    ) {
        self.rows = rows
        self.next = next
        self.remaining = remaining
        self.total = total
        self.saysEnd = saysEnd
    }
}
