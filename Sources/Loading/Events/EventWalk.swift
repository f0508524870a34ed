import HTTP
import JSON
import Payments
import Providers

/// Walks an event list page by page: what `Walk` decides is asked for, and stored with its position.
struct EventWalk {
    private static let groupAge = 1000
    private static let unreadablePatience = 2

    let name: String
    let lister: any Lister
    let parts: PollerParts

    struct Ending {
        let end: WalkEnd
        /// A request failed for good.
        let failure: HTTPError?
    }

    /// Walks to the end, whatever it is. Throws what the database throws.
    func run(_ start: Walk, into store: inout EventStore, stop: StopFlag) async throws -> Ending {
        var walk = start
        var actions = walk.start()
        var pages: [ProviderPage] = []
        var firstPageAt: Int?
        var unreadable = 0
        var failure: HTTPError?
        while true {
            var next: PageAsk?
            for action in actions {
                switch action {
                case .fetch(let ask): next = ask
                case .commit(let point):
                    try store.commit(pages.flatMap(\.elements), point, walk: name)
                    pages = []
                    firstPageAt = nil
                case .finish(let end): return Ending(end: end, failure: failure)
                }
            }
            // A commit between two requests leaves the question as it was.
            let ask = next ?? walk.checkpoint.ask
            if stop.isRequested {
                actions = walk.handle(.stopRequested)
                continue
            }
            switch await fetch(ask, stop) {
            case .success(let page):
                unreadable = 0
                pages.append(page)
                let now = parts.machine.milliseconds()
                firstPageAt = firstPageAt ?? now
                actions = walk.handle(.page(page.facts))
                if now - (firstPageAt ?? now) >= Self.groupAge { actions += walk.handle(.groupIsOld) }
            case .failure(.request(let error)):
                failure = stop.isRequested ? nil : error
                actions = walk.handle(stop.isRequested ? .stopRequested : .failed(error.description))
            case .failure(.content(.cursorRejected)): actions = walk.handle(.cursorRejected)
            case .failure(.content(.unreadable(let what))):
                unreadable += 1
                actions =
                    unreadable <= Self.unreadablePatience
                    ? [.fetch(ask)] : walk.handle(.failed(ProviderFault.unreadable(what).description))
            case .failure(.content(let fault)): actions = walk.handle(.failed(fault.description))
            }
        }
    }

    /// A request that waits for its turn, or to be sent again, ends when the run is to end.
    private func fetch(_ ask: PageAsk, _ stop: StopFlag) async -> Result<ProviderPage, PageFault> {
        let request = lister.request(for: ask)
        let (lister, fetch) = (lister, parts.fetch)
        let task = Task<Result<ProviderPage, PageFault>, Never> {
            do throws(HTTPError) {
                let response = try await fetch(request, lister.expectedStatuses)
                do throws(ProviderFault) {
                    return .success(try lister.page(from: response, to: ask))
                } catch {
                    return .failure(.content(error))
                }
            } catch {
                return .failure(.request(error))
            }
        }
        let watch = stop.watch { task.cancel() }
        defer { stop.unwatch(watch) }
        return await task.value
    }
}
