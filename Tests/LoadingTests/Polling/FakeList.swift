import Payments
import Providers

@testable import Loading

/// A list behind opaque cursors, with every misbehaviour a test asks for. Drives a walk without I/O.
struct FakeList {
    var rows: [RowFacts]
    var order: ListOrder = .newestFirst
    /// The name that leads further down the list.
    var leading: PageAsk.Edge = .after
    var givesTotals = true
    /// Keys that are refused from now on.
    var expired: Set<String> = []
    /// Number of the request (from 1) → the page it gets instead.
    var instead: [Int: PageFacts] = [:]
    /// Number of the request → what happens to the rows before it is answered.
    var before: [Int: (inout [RowFacts]) -> Void] = [:]
    private(set) var asks: [PageAsk] = []

    init(_ rows: [RowFacts]) { self.rows = rows }

    mutating func answer(_ ask: PageAsk) -> Walk.Event {
        asks.append(ask)
        before[asks.count]?(&rows)
        if let page = instead[asks.count] { return .page(page) }
        if let cursor = ask.cursor, expired.contains(cursor) { return .cursorRejected }
        let matching = rows.filter { row in
            guard let time = row.createdAt else { return true }
            return ask.from.map { time >= $0 } != false && ask.to.map { time <= $0 } != false
        }
        let listed = matching.sorted { a, b in
            let key = (a.createdAt?.microseconds ?? 0, a.id)
            let other = (b.createdAt?.microseconds ?? 0, b.id)
            return order == .newestFirst ? key > other : key < other
        }
        var slice = listed[...]
        if let cursor = ask.cursor {
            guard let place = listed.firstIndex(where: { "k" + $0.id == cursor }) else { return .cursorRejected }
            slice = ask.edge == leading ? listed[(place + 1)...] : listed[..<place]
        }
        let page = slice.prefix(ask.limit)
        return .page(
            PageFacts(
                rows: Array(page), next: page.last.map { "k" + $0.id },
                remaining: givesTotals ? slice.count - page.count : nil, total: givesTotals ? listed.count : nil))
    }
}

/// What driving a walk to its end gave.
struct Driven {
    var walk: Walk
    var end: WalkEnd?
    var ids: Set<String> = []
    var checkpoint: WalkCheckpoint?
    var commits = 0
    /// Ids that lay in committed groups.
    var committed: Set<String> = []

    var isComplete: Bool { end?.isComplete == true }
    var reason: String? {
        if case .incomplete(let reason, _)? = end?.verdict { return reason }
        return nil
    }
}

/// Runs `walk` over `list` until it finishes, or until `pages` pages were read (then it stays as it stands: a kill).
func drive(_ walk: Walk, _ list: inout FakeList, pages: Int = .max, commitEveryPage: Bool = false) -> Driven {
    var driven = Driven(walk: walk)
    var actions = driven.walk.start()
    var read = 0
    while !actions.isEmpty {
        var next: [Walk.Action] = []
        for action in actions {
            switch action {
            case .fetch(let ask):
                if read == pages { return driven }
                read += 1
                let event = list.answer(ask)
                if case .page(let page) = event { driven.ids.formUnion(page.rows.map(\.id)) }
                next += driven.walk.handle(event)
                if commitEveryPage { next += driven.walk.handle(.groupIsOld) }
            case .commit(let point):
                driven.commits += 1
                driven.checkpoint = point
                driven.committed = driven.ids
            case .finish(let end):
                driven.end = end
            }
        }
        actions = next.sorted { a, _ in if case .commit = a { true } else { false } }
    }
    return driven
}

extension Timestamp {
    /// A moment for tests; malformed text stops the test at the epoch, which no expectation names.
    static func at(_ text: String) -> Timestamp { Timestamp(text) ?? Timestamp(seconds: 0) }
}

/// `count` rows one minute apart, the newest at `newest`; ids carry their age.
func rows(_ count: Int, newest: Timestamp, step: Int64 = 60) -> [RowFacts] {
    (0..<count).map { RowFacts(id: "r\($0)", createdAt: newest.adding(seconds: -Int64($0) * step)) }
}
