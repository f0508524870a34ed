import HTTP
import JSON
import Payments
import Providers

/// Reads rows one by one, by id or by what else is known of them, a few at a time, and commits each batch.
final class SingleReads {
    struct Result {
        var read = 0
        /// Ids that the provider does not know.
        var missing: [String] = []
        /// Ids that an answer named instead of the record itself: an order its payment.
        var pointedTo: Set<String> = []
        /// Ids read well, with the creation time the provider gives now.
        var found: [String: Timestamp] = [:]
        /// Ids that the provider has said something usable about.
        var answered: Set<String> = []
        /// Answers that never end, carry another id than the one asked for, or cannot be read, where the provider as a whole
        /// fails so.
        var unusable = 0
        /// Records that brought no usable answer while others did; they were set aside.
        var unread: [UnreadAsk] = []
        /// Ids that belong to another account of the provider.
        var strangers: Set<String> = []
        /// Orders and customers that were asked for whose payment is not known to the provider (yet).
        var withoutPayment = 0
        /// Orders that nothing is known of by which the provider could be asked for their payment.
        var notAsked = 0
        var failure: HTTPError?
        var isStopped = false
    }

    static let batch = 50
    /// How often a record is asked for again whose answer cannot be read.
    static let patience = 2
    /// How often an answer may name another record to read instead.
    static let hops = 3

    private let reader: any SingleReader
    private let mapping: any ElementMapping
    private let store: TransactionStore
    private let parts: PollerParts
    /// Rows created up to here that are new now came late.
    private let watermark: Timestamp?
    private let refusesCredentials: (HTTPResponse) -> Bool
    /// What an earlier poll set aside because it could not be read, by quarantine ids.
    private let waiting: Set<String>
    private var settled: Set<String> = []
    private var unanswered = Unanswered()

    init(
        reader: any SingleReader, mapping: any ElementMapping, store: TransactionStore, parts: PollerParts,
        watermark: Timestamp?, waiting: Set<String> = [],
        refusesCredentials: @escaping (HTTPResponse) -> Bool
    ) {
        self.waiting = waiting
        self.refusesCredentials = refusesCredentials
        self.watermark = watermark
        self.reader = reader
        self.mapping = mapping
        self.store = store
        self.parts = parts
    }

    func run(_ asks: [ReadAsk], stop: StopFlag) async throws -> Result {
        var result = Result()
        var asked: Set<String> = []
        var rest = questions(asks, &asked, &result)[...]
        var named: [ReadAsk] = []
        // An answer may name another record to read instead, which may do so once more; never round and round.
        var hops = 0
        while !rest.isEmpty, result.failure == nil, !unanswered.isEnough {
            if stop.isRequested {
                result.isStopped = true
                return result
            }
            let batch = rest.prefix(Self.batch)
            rest = rest.dropFirst(Self.batch)
            var rows: [IncomingRow] = []
            var unread: [SingleFetch.Question] = []
            let (answers, unasked) = await fetch(Array(batch), until: stop)
            for answer in answers { take(answer, &rows, &named, &unread, &result) }
            rest = unasked[...] + unread + rest
            if stop.isRequested {
                // Requests that were cut short say nothing about the provider.
                result.isStopped = true
                result.failure = nil
            }
            if !rows.isEmpty { try store.commit(CommitGroup(rows: rows, watermark: watermark)) }
            if rest.isEmpty, hops < Self.hops {
                hops += 1
                rest = questions(named, &asked, &result)[...]
                named = []
            }
        }
        try settle(&result)
        return result
    }

    /// What is to become of asks without a usable answer: exceptions are set aside, else the provider has failed.
    private func settle(_ result: inout Result) throws {
        if !unanswered.asks.isEmpty, !unanswered.areExceptions, !result.isStopped {
            result.failure = result.failure ?? unanswered.asks.compactMap(\.error).first
            result.unusable += unanswered.asks.count { $0.error == nil }
        } else if result.failure == nil, !result.isStopped {
            result.unread = unanswered.asks
        }
        if result.unread.isEmpty, settled.isEmpty { return }
        var group = CommitGroup(rows: [])
        group.settles = settled.sorted()
        group.setsAside = result.unread.map(record)
        try store.commit(group)
        for ask in result.unread {
            parts.context.log(
                LogLine(.warning, "record set aside", [("source", store.source), ("reason", ask.reason)]))
        }
    }

    /// Asks that come to the same request are one question. What cannot be asked is missing: nothing shows it.
    private func questions(
        _ asks: [ReadAsk], _ asked: inout Set<String>, _ result: inout Result
    ) -> [SingleFetch.Question] {
        var questions: [SingleFetch.Question] = []
        var places: [String: Int] = [:]
        for ask in asks {
            guard let request = reader.request(for: ask) else {
                if let id = ask.id {
                    result.missing.append(id)
                    result.answered.insert(id)
                } else {
                    result.notAsked += 1
                }
                continue
            }
            if let place = places[request.url] {
                questions[place].asks.append(ask)
            } else if asked.insert(request.url).inserted {
                places[request.url] = questions.count
                questions.append(SingleFetch.Question(ask: ask, asks: [ask], request: request))
            }
        }
        return questions
    }

    private typealias Answer = SingleFetch.Answer

    /// Requests that wait for their turn or to be sent again end when the run is to end.
    private func fetch(_ questions: [SingleFetch.Question], until stop: StopFlag) async -> SingleFetch.Answers {
        let fetch = SingleFetch(reader: reader, parts: parts)
        let task: Task<SingleFetch.Answers, Never> = fetch.start(questions)
        let watch = stop.watch { task.cancel() }
        defer { stop.unwatch(watch) }
        return await task.value
    }

    private func take(
        _ answer: Answer, _ rows: inout [IncomingRow], _ named: inout [ReadAsk],
        _ unread: inout [SingleFetch.Question], _ result: inout Result
    ) {
        switch answer.response {
        case .failure(let error) where error.kind.mayBeAboutOneRecord:
            add(answer.question.asks, error.kind.text, error)
        case .failure(let error): result.failure = result.failure ?? error
        case .success(let responses):
            result.read += responses.count
            // Whoever is not let in is answered so whatever is asked: thousands of further requests would lock the key.
            if let refused = responses.first(where: { refusesCredentials($0) }) {
                let error = HTTPError(
                    .status(refused.status), answer.question.request, detail: "the credentials are refused")
                result.failure = result.failure ?? error
                return
            }
            var elements: [JSONValue] = []
            do throws(ProviderFault) {
                for response in responses {
                    switch try reader.answer(from: response, to: answer.question.ask) {
                    case .readInstead(var ask):
                        if let id = ask.id { result.pointedTo.insert(id) }
                        // Whatever becomes of it, it is about what was asked for.
                        if ask.references.isEmpty { ask.references = answer.question.ask.references }
                        named.append(ask)
                        note(answer)
                        return
                    case .elements(let found): elements += found
                    }
                }
                take(elements, answer, &rows, &result)
                // Pages that never end say nothing about what they did not show.
                if answer.isCut {
                    let rest = answer.question.asks.filter { $0.id.map(result.answered.contains) != true }
                    if !rest.isEmpty { add(rest, "its pages never end") }
                }
            } catch {
                var question = answer.question
                question.attempts += 1
                // A body that was garbled on its way comes whole the next time; a refusal stays one.
                if case .unreadable = error, question.attempts <= Self.patience {
                    unread.append(question)
                } else {
                    add(answer.question.asks, error.description)
                }
            }
        }
    }

    /// No usable answer to a request that was for `asks`.
    private func add(_ asks: [ReadAsk], _ reason: String, _ error: HTTPError? = nil) {
        let unread = asks.map { UnreadAsk(ask: $0, reason: reason, error: error) }
        unanswered.add(unread, isKnown: !waiting.isEmpty && quarantineIDs(of: asks).isSubset(of: waiting))
    }

    /// A usable answer: what was set aside for want of one is settled.
    private func note(_ answer: Answer) {
        unanswered.noteAnswer()
        if !waiting.isEmpty { settled.formUnion(waiting.intersection(quarantineIDs(of: answer.question.asks))) }
    }

    /// Under which these are set aside, for whatever reason.
    private func quarantineIDs(of asks: [ReadAsk]) -> Set<String> {
        Set(asks.map { record(of: UnreadAsk(ask: $0, reason: "", error: nil)).quarantineID })
    }

    private func record(of unread: UnreadAsk) -> QuarantinedRecord {
        unread.record(source: store.source, resource: mapping.resource)
    }

    private func take(
        _ elements: [JSONValue], _ answer: Answer, _ rows: inout [IncomingRow], _ result: inout Result
    ) {
        let wanted = Set(answer.question.asks.compactMap(\.id))
        // An answer for one id is that record; one for an order, a customer or a day may show several.
        let isBroad = !reader.keys.contains(.id) || answer.question.asks.contains { $0.id == nil }
        var found: Set<String> = []
        for element in elements {
            let identity = mapping.identity(of: element)
            let id = identity.id.flatMap { wanted.contains($0) ? $0 : nil }
            if id == nil, !isBroad { continue }
            if let id {
                found.insert(id)
                if identity.isStranger {
                    // It is known and not ours: neither a row of this source nor missing.
                    result.strangers.insert(id)
                } else if let createdAt = identity.createdAt {
                    result.found[id] = createdAt
                }
            }
            rows.append(
                IncomingRow(
                    element: element, identity: identity, mapping: mapping, requestStartedAt: answer.startedAt,
                    place: "\(mapping.resource) \(identity.id ?? "without an id")"))
        }
        if elements.isEmpty, wanted.isEmpty { result.withoutPayment += 1 }
        let lacking = wanted.subtracting(found)
        result.answered.formUnion(found)
        if answer.isCut { return }
        // Another record in place of the one that was asked for says nothing about it.
        if !lacking.isEmpty, !elements.isEmpty, !isBroad {
            add(answer.question.asks, "the answer is another record")
            return
        }
        note(answer)
        result.missing += lacking.sorted()
        result.answered.formUnion(lacking)
    }
}

/// Asks for several ids at once.
private struct SingleFetch: Sendable {
    struct Answer: Sendable {
        let question: Question
        let startedAt: Timestamp
        /// All pages of the answer.
        let response: Swift.Result<[HTTPResponse], HTTPError>
        /// There were more of them than anybody reads.
        var isCut = false
    }

    /// Answers, and what was not asked any more, both in the order of the questions.
    typealias Answers = (answers: [Answer], unasked: [Question])

    /// Pages of one answer at most.
    static let pages = 100

    struct Question: Sendable {
        /// The first of `asks`.
        let ask: ReadAsk
        /// All that the one request answers.
        var asks: [ReadAsk]
        let request: HTTPRequest
        /// Answers so far that could not be read.
        var attempts = 0
    }

    let reader: any SingleReader
    let parts: PollerParts

    func start(_ questions: [Question]) -> Task<Answers, Never> { Task { await answers(questions) } }

    private func answer(_ question: Question) async -> Answer {
        let startedAt = parts.context.clock.now()
        do throws(HTTPError) {
            var responses: [HTTPResponse] = []
            var request: HTTPRequest? = question.request
            var asked: Set<String> = []
            while let next = request, responses.count < Self.pages, asked.insert(next.url).inserted {
                let response = try await parts.fetch(next, reader.expectedStatuses)
                responses.append(response)
                request = reader.following(response, to: question.ask)
            }
            return Answer(
                question: question, startedAt: startedAt, response: .success(responses), isCut: request != nil)
        } catch {
            return Answer(question: question, startedAt: startedAt, response: .failure(error))
        }
    }

    private func answers(_ questions: [Question]) async -> Answers {
        await withTaskGroup(of: (Int, Answer).self) { group in
            var answers = [Answer?](repeating: nil, count: questions.count)
            var next = 0
            var last = questions.count
            var failures = 0
            func add() {
                guard next < last else { return }
                let (place, question) = (next, questions[next])
                next += 1
                group.addTask { (place, await answer(question)) }
            }
            for _ in 0..<max(1, parts.settings.parallelReads) { add() }
            while let (place, answer) = await group.next() {
                answers[place] = answer
                switch answer.response {
                case .success: failures = 0
                case .failure(let error):
                    failures += 1
                    // Where one fails for good, the others would wait and fail likewise.
                    if !error.kind.mayBeAboutOneRecord || failures >= Unanswered.patience { last = next }
                }
                add()
            }
            return (answers.compactMap(\.self), Array(questions[next...]))
        }
    }
}
