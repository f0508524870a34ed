import Dispatch
import Payments

/// Commits groups one after the other, in the order in which they were handed in, on a thread of its own: libpq blocks,
/// and the threads that Swift's tasks share are as few as the machine's cores.
actor StoreWriter {
    /// One group whose rows may still be on their way from the mapping.
    struct Job: Sendable {
        let lane: Int
        var group: CommitGroup
        let pages: [PageInHand]
    }

    typealias Answer = Swift.Result<[UnlistedRow], any Error>

    private let thread = DatabaseThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
    private let store: StoreInUse

    init(_ store: StoreInUse) { self.store = store }

    /// Works off `jobs` until they end or one fails: what comes behind a failed group must not be committed, since its
    /// position would say that the group was.
    func run(_ jobs: AsyncStream<Job>, _ answer: @Sendable (Int, Answer) -> Void) async {
        for await job in jobs {
            var group = job.group
            for page in job.pages { group.rows += await page.rows.value }
            do {
                answer(job.lane, .success(try store.store.commit(group)))
            } catch {
                return answer(job.lane, .failure(error))
            }
        }
    }
}

/// A store on its way between the poller and the writer.
/// `@unchecked`: the writer alone uses it while a walk runs, the poller before and after, and between two commits when
/// the writer has answered and has nothing to do.
struct StoreInUse: @unchecked Sendable {
    let store: TransactionStore
}

/// A serial queue as the place where an actor runs.
private final class DatabaseThread: SerialExecutor {
    private let queue = DispatchQueue(label: "tieout.database")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
