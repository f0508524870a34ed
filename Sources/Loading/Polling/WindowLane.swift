import HTTP
import Payments
import Providers

/// One window of a walk while it is read: its state machine, the pages of the group in hand, and which stretch of
/// creation time the groups have covered.
final class WindowLane {
    let number: Int
    /// Under which its checkpoint is kept.
    let name: String
    var walk: Walk
    /// Split off from a walk above; its upper bound is where its rows begin.
    let isBelow: Bool

    private(set) var pages: [PageInHand] = []
    private(set) var pendingRows = 0
    private(set) var firstPageAt: Int?
    private var border: Timestamp?
    private var seenAtBorder: Set<String> = []
    private let resumedAt: Timestamp?

    var request: (number: Int, task: Task<Void, Never>, since: Int)?
    /// The next request, while the database has more than enough to do.
    var heldAsk: PageAsk?
    /// The last commit, while those before it are still under way.
    var heldEnd = false
    var commitsUnderWay = 0
    var unreadable = 0
    /// Machine milliseconds that answers took, and how many there were.
    private(set) var waited = 0
    private(set) var answers = 0
    /// What the last page said about rows behind it.
    private(set) var remaining: Int?

    /// The window that was split off from this one and has shown no row yet.
    var child: WindowLane?
    /// Whom to tell about the first rows.
    weak var parent: WindowLane?
    var head: WindowHead?
    /// Since one of them brought rows.
    var splitsTried = 0
    /// It ended where the window below begins.
    var endedAtBelow = false

    var end: WalkEnd?
    var failure: HTTPError?
    var met: Set<String> = []
    var unlisted: [UnlistedRow] = []
    var unlistedCount = 0

    init(number: Int, name: String, walk: Walk, isBelow: Bool) {
        self.number = number
        self.name = name
        self.walk = walk
        self.isBelow = isBelow
        // A resumed walk has seen what lies on the near side of its position, in an earlier run.
        resumedAt = walk.order == .oldestFirst ? walk.newest : walk.oldest
        border = resumedAt
    }

    /// False for a window that was split off and has shown no row yet.
    var isTied: Bool { parent == nil || head != nil }

    var isDone: Bool { end != nil && commitsUnderWay == 0 && !heldEnd }

    /// Milliseconds of one answer, on average.
    var pace: Int { answers == 0 ? 0 : waited / answers }

    func take(_ page: PageInHand, at now: Int, after wait: Int) {
        if firstPageAt == nil { firstPageAt = now }
        waited += wait
        answers += 1
        remaining = page.facts.remaining
        pages.append(page)
        pendingRows += page.identities.count
    }

    /// Up to when the list has to show what is stored.
    private var provesUntil: Timestamp {
        let whole = walk.plan.startedAt.adding(seconds: -walk.plan.settleLag)
        guard isBelow else { return walk.plan.provesUntil }
        return walk.newest.map { min($0, whole) } ?? walk.plan.provesUntil
    }

    func settle(_ unlisted: [UnlistedRow], limit: Int) {
        let proven = unlisted.filter { $0.createdAt <= provesUntil && $0.createdAt != resumedAt }
        unlistedCount += proven.count
        self.unlisted += proven.prefix(max(0, limit - self.unlisted.count))
    }

    /// The group in hand with its pages, and begins the next.
    func takeGroup(watermark: Timestamp?, reachesEnd: Bool) -> (CommitGroup, [PageInHand]) {
        var group = CommitGroup(rows: [], watermark: watermark)
        describeSpan(of: &group, reachesEnd: reachesEnd)
        let taken = pages
        pages.removeAll(keepingCapacity: true)
        pendingRows = 0
        firstPageAt = nil
        return (group, taken)
    }

    /// Which stretch of creation time this group and the ones before it leave no gap in. Lists that say nothing about
    /// their order are taken as newest first: a wrong guess costs a re-read by id, nothing else.
    private func describeSpan(of group: inout CommitGroup, reachesEnd: Bool) {
        let plan = walk.plan
        let times = pages.flatMap { $0.identities.compactMap(\.createdAt) }.filter { !Walk.isOutside($0, plan) }
        let start = plan.from ?? Timestamp(seconds: -2_208_988_800)
        let newest = times.max()
        let open = plan.to ?? plan.startedAt
        let end = isBelow ? newest ?? open : max(open, newest ?? plan.startedAt)
        let isForward = walk.order == .oldestFirst
        let near = border ?? (isForward ? start : end)
        var far = (isForward ? newest : times.min()) ?? near
        if reachesEnd { far = isForward ? end : start }
        guard isForward ? far >= near : far <= near else { return }
        group.span = isForward ? near...far : far...near
        group.openBorder = reachesEnd ? nil : far
        group.seenAtBorder = seenAtBorder
        if far != border { seenAtBorder = [] }
        border = far
        for page in pages {
            for identity in page.identities where identity.createdAt == far {
                if let id = identity.id { seenAtBorder.insert(id) }
            }
        }
    }

    /// Whether `page`, just taken in, has reached the first rows of the window below, and nothing speaks against
    /// leaving the rest to it: the list runs in order, and where it counts itself the rows above are all there.
    func hasMetBelow(_ page: PageInHand) -> Bool {
        guard !walk.isFinished, walk.order == .newestFirst, walk.counters.rowsOutOfOrder == 0, let below = walk.below,
            let place = below.place(in: page)
        else { return false }
        guard walk.totals.isUsable, let whole = walk.totals.first, let part = below.total else { return true }
        return walk.distinct - (page.identities.count - place) >= whole - part
    }
}
