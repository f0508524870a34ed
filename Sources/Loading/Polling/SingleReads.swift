import HTTP
import Payments
import Providers

/// Reads rows one by one by id, a few at a time, and commits each batch.
final class SingleReads {
    struct Result {
        var read = 0
        /// Ids that the provider does not know.
        var missing: [String] = []
        /// Ids read well, with the creation time the provider gives now.
        var found: [String: Timestamp] = [:]
        /// Ids that the provider has said something usable about.
        var answered: Set<String> = []
        /// Answers that carry another id than the one asked for, or are unreadable.
        var unusable = 0
        var failure: HTTPError?
        var isStopped = false
    }

    static let batch = 50

    private let reader: any SingleReader
    private let mapping: any ElementMapping
    private let store: TransactionStore
    private let parts: PollerParts
    /// Rows created up to here that are new now came late.
    private let watermark: Timestamp?

    init(
        reader: any SingleReader, mapping: any ElementMapping, store: TransactionStore, parts: PollerParts,
        watermark: Timestamp?
    ) {
        self.watermark = watermark
        self.reader = reader
        self.mapping = mapping
        self.store = store
        self.parts = parts
    }

    func run(_ ids: [String], stop: StopFlag) async throws -> Result {
        var result = Result()
        var rest = ids[...]
        while !rest.isEmpty, result.failure == nil {
            if stop.isRequested {
                result.isStopped = true
                return result
            }
            let batch = rest.prefix(Self.batch)
            rest = rest.dropFirst(Self.batch)
            var rows: [IncomingRow] = []
            for answer in await fetch(Array(batch), until: stop) { take(answer, &rows, &result) }
            if stop.isRequested {
                // Requests that were cut short say nothing about the provider.
                result.isStopped = true
                result.failure = nil
            }
            if !rows.isEmpty { try store.commit(CommitGroup(rows: rows, watermark: watermark)) }
        }
        return result
    }

    private typealias Answer = SingleFetch.Answer

    /// Requests that wait for their turn or to be sent again end when the run is to end.
    private func fetch(_ ids: [String], until stop: StopFlag) async -> [Answer] {
        let fetch = SingleFetch(reader: reader, parts: parts)
        let task: Task<[Answer], Never> = fetch.start(ids)
        let watch = stop.watch { task.cancel() }
        defer { stop.unwatch(watch) }
        return await task.value
    }

    private func take(_ answer: Answer, _ rows: inout [IncomingRow], _ result: inout Result) {
        switch answer.response {
        case .failure(let error): result.failure = result.failure ?? error
        case .success(let response):
            result.read += 1
            do throws(ProviderFault) {
                guard let element = try reader.element(from: response) else {
                    result.missing.append(answer.id)
                    result.answered.insert(answer.id)
                    return
                }
                let identity = mapping.identity(of: element)
                guard identity.id == answer.id else {
                    result.unusable += 1
                    return
                }
                result.answered.insert(answer.id)
                if let createdAt = identity.createdAt { result.found[answer.id] = createdAt }
                rows.append(
                    IncomingRow(
                        element: element, identity: identity, mapping: mapping, requestStartedAt: answer.startedAt,
                        place: "\(mapping.resource) \(answer.id)"))
            } catch {
                result.unusable += 1
            }
        }
    }
}

/// Asks for several ids at once.
private struct SingleFetch: Sendable {
    struct Answer: Sendable {
        let id: String
        let startedAt: Timestamp
        let response: Swift.Result<HTTPResponse, HTTPError>
    }

    let reader: any SingleReader
    let parts: PollerParts

    func start(_ ids: [String]) -> Task<[Answer], Never> { Task { await answers(ids) } }

    private func answer(_ id: String) async -> Answer {
        let startedAt = parts.context.clock.now()
        do throws(HTTPError) {
            let response = try await parts.fetch(reader.request(forID: id), reader.expectedStatuses)
            return Answer(id: id, startedAt: startedAt, response: .success(response))
        } catch {
            return Answer(id: id, startedAt: startedAt, response: .failure(error))
        }
    }

    private func answers(_ ids: [String]) async -> [Answer] {
        await withTaskGroup(of: (Int, Answer).self) { group in
            var answers = [Answer?](repeating: nil, count: ids.count)
            var next = 0
            func add() {
                guard next < ids.count else { return }
                let (place, id) = (next, ids[next])
                next += 1
                group.addTask { (place, await answer(id)) }
            }
            for _ in 0..<max(1, parts.settings.parallelReads) { add() }
            while let (place, answer) = await group.next() {
                answers[place] = answer
                // Where one fails for good, the others would wait and fail likewise.
                if case .failure = answer.response { next = ids.count }
                add()
            }
            return answers.compactMap(\.self)
        }
    }
}
