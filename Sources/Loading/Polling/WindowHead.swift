package import Payments
import Providers

/// The first rows of a window that was split off: a walk above that comes to them, in the list's own order, has left no
/// gap between the two windows, whatever the provider's bounds mean.
package struct WindowHead: Sendable, Hashable {
    /// Ids of the first rows, newest first.
    package let ids: [String]
    /// Creation time of the first row.
    package let newest: Timestamp
    /// Rows that the provider counted in the window; nil: it said nothing that can be trusted.
    package let total: Int?

    /// Rows remembered of a page: a few may change or go until the walk above arrives.
    static let size = 20

    package init(ids: [String], newest: Timestamp, total: Int?) {
        self.ids = ids
        self.newest = newest
        self.total = total
    }

    /// Nil where the page names no row and moment to be met at.
    init?(of page: PageInHand, total: Int?) {
        let rows = page.identities.prefix(Self.size)
        guard let newest = page.identities.compactMap(\.createdAt).max() else { return nil }
        let ids = rows.compactMap(\.id)
        if ids.isEmpty { return nil }
        self.init(ids: ids, newest: newest, total: total)
    }

    /// The place in `page` of the first row that is one of these; nil: not reached yet.
    func place(in page: PageInHand) -> Int? {
        page.identities.firstIndex { identity in identity.id.map { ids.contains($0) } == true }
    }
}
