import Crypto
import HTTP
import Payments
import Providers

/// A record that brought no usable answer when it was asked for by itself, while others did. It costs itself, not its
/// source: it is set aside as a bad row is, and asked for again in each poll.
struct UnreadAsk {
    let ask: ReadAsk
    /// Names no value of the answer.
    let reason: String
    /// Nil: there was an answer, of no use.
    let error: HTTPError?

    /// What the reasons in quarantine begin with.
    static let prefix = "unread: "

    /// The record in quarantine that stands for this ask.
    func record(source: String, resource: String) -> QuarantinedRecord {
        QuarantinedRecord(
            source: source, feed: .provider, reason: Self.prefix + reason,
            recordID: ask.id.map { RecordName.of($0, resource: resource) }, references: ask.references,
            place: "\(resource) \(ask.id ?? ask.reference("book:order") ?? "by its customer")", length: 0,
            digest: Self.digest(of: ask, resource: resource))
    }

    /// The same for each ask that comes to the same record.
    private static func digest(of ask: ReadAsk, resource: String) -> [UInt8] {
        var hasher = SHA256Hasher()
        hasher.update(field: "unread")
        hasher.update(field: resource)
        hasher.update(field: ask.id == nil ? "order" : "id")
        hasher.update(field: ask.id ?? ask.reference("book:order") ?? ask.customerID ?? "")
        return hasher.finish()
    }
}

/// Questions without a usable answer, and what they say about the provider as a whole.
struct Unanswered {
    /// Different records in a row that fail, each after its own retries: then it is the provider that fails. Two can happen
    /// to stand side by side; more would wait out the retries of every record on a provider that is down.
    static let patience = 3
    /// And in one run altogether.
    static let most = 10

    private(set) var asks: [UnreadAsk] = []
    private var inARow = 0
    private var news = 0
    private var answered = 0

    /// Adds what one request was about. `isKnown`: all of it was set aside before, and says nothing new about the provider.
    mutating func add(_ unread: [UnreadAsk], isKnown: Bool) {
        asks += unread
        if isKnown { return }
        inARow += 1
        news += 1
    }

    mutating func noteAnswer() {
        answered += 1
        inARow = 0
    }

    /// Asking on would fail likewise.
    var isEnough: Bool { inARow >= Self.patience || news > Self.most }

    /// Whether they are exceptions: a provider that has answered nothing, or fails again and again, is no exception.
    var areExceptions: Bool { (answered > 0 || news == 0) && !isEnough }
}

extension HTTPError.Kind {
    /// Whether it may be about the one record that was asked for, so that others are worth asking for.
    var mayBeAboutOneRecord: Bool {
        switch self {
        case .status(let status): status != 401 && status != 429
        case .timeout, .stalled, .cut, .garbled, .tooLarge: true
        case .exhausted(let last, _): last.mayBeAboutOneRecord
        case .invalid, .connect, .tls, .cancelled, .closed, .tryLater: false
        }
    }
}
