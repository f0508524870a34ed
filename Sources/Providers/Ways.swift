package import HTTP
package import JSON
package import Payments

/// Lists elements by a window of creation time.
package protocol Lister: Sendable {
    var pageLimit: Int { get }
    /// Whether positions lead one way only (page numbers, offsets, one cursor name). Else which of the two cursor names
    /// leads on is learnt from the rows.
    var isOneWay: Bool { get }
    /// Whether rows that are not final are listed as well; else what the list omits says nothing against it.
    var showsAllRows: Bool { get }
    /// Whether a window shows what was created in it and nothing else. False: it is asked for more widely, or its bounds
    /// may be those of the last change; rows outside it are no surprise, and it is never split.
    var hasExactWindows: Bool { get }
    /// Statuses besides 2xx whose answers `page` understands.
    var expectedStatuses: Set<Int> { get }
    func request(for ask: PageAsk) -> HTTPRequest
    func page(from response: HTTPResponse, to ask: PageAsk) throws(ProviderFault) -> ProviderPage
}

extension Lister {
    package var isOneWay: Bool { true }
    package var showsAllRows: Bool { true }
    package var hasExactWindows: Bool { true }
}

/// One record to be read by itself.
package struct ReadAsk: Sendable, Hashable {
    /// The record's id; nil: not known yet, it is looked for by what the book says.
    package var id: String?
    /// Where the record is stored: what is known of it.
    package var createdAt: Timestamp?
    package var references: [Reference]
    /// The customer, by the merchant's own id.
    package var customerID: String?

    package init(
        id: String?, createdAt: Timestamp? = nil, references: [Reference] = [], customerID: String? = nil
    ) {
        self.id = id
        self.createdAt = createdAt
        self.references = references
        self.customerID = customerID
    }

    /// The first value of one kind of reference.
    package func reference(_ kind: String) -> String? { references.first { $0.kind == kind }?.value }
}

/// What answers a single read.
package enum SingleAnswer: Sendable {
    /// All elements of the answer, the one asked for among them where the provider knows it. Those beside it are taken in
    /// as well.
    case elements([JSONValue])
    /// The answer only says which record to read: an order that names its payment.
    case readInstead(ReadAsk)
}

/// Reads records one by one.
package protocol SingleReader: Sendable {
    var expectedStatuses: Set<Int> { get }
    /// What of an ask suffices to read a record.
    var keys: Set<ReadKey> { get }
    /// Kinds of references whose values are ids that can be read (`banxa:transaction`, `banxa:order`): a record that the
    /// book, an event or another record names so and that is not stored is read in the same run.
    var idKinds: [String] { get }
    /// Nil: with what the ask holds it cannot be read.
    func request(for ask: ReadAsk) -> HTTPRequest?
    func answer(from response: HTTPResponse, to ask: ReadAsk) throws(ProviderFault) -> SingleAnswer
    /// The request for the page behind this one, where an answer comes in several; nil: it is whole.
    func following(_ response: HTTPResponse, to ask: ReadAsk) -> HTTPRequest?
}

extension SingleReader {
    package func following(_ response: HTTPResponse, to ask: ReadAsk) -> HTTPRequest? { nil }
}

/// What a record can be read by.
package enum ReadKey: String, Sendable, Hashable {
    /// Its own id.
    case id
    /// What is stored of it: its references, its creation. Only what was stored before can be read again so.
    case row
    /// The merchant's order id (`book:order`), for orders whose payment is not stored.
    case order
    /// The merchant's customer id, for orders whose payment is not stored or not final.
    case customer
}

/// Lists events of the past, newest first: a second webhook history. What it shows was fetched with the source's own
/// credentials and needs no signature.
package protocol EventLister: Sendable {
    /// Days for which events can be fetched; what is older is gone.
    var retentionDays: Int { get }
    /// Pages of events, by the window of their own times.
    var pages: any Lister { get }
    /// Reads one event of a page as the webhook scheme would read its delivery, under the same key. Nil: it is about
    /// another product of the account.
    func event(_ element: JSONValue) throws(RowFault) -> MappedEvent?
    /// Cuts secret and personal fields of an event.
    func redaction(ofKind kind: String?) -> Redaction
    /// Cuts what changes without meaning as well: equal remains mean the same event fetched once more.
    func comparison(ofKind kind: String?) -> Redaction
}

/// Puts onto a request what proves who asks. Called for every attempt, since proofs are for one use or grow stale.
package protocol RequestSigner: Sendable {
    func sign(_ request: HTTPRequest, at moment: SigningMoment) throws(SigningFault) -> HTTPRequest
}

/// When a request is sent, and what sets it apart from all others of its source.
package struct SigningMoment: Sendable, Hashable {
    /// Machine time.
    package let now: Timestamp
    /// Unix milliseconds, never the same twice and never going back within a process.
    package let uniqueMilliseconds: Int64
    /// 16 random bytes.
    package let random: [UInt8]

    package init(now: Timestamp, uniqueMilliseconds: Int64, random: [UInt8]) {
        self.now = now
        self.uniqueMilliseconds = uniqueMilliseconds
        self.random = random
    }
}

/// A request could not be signed. Never names the key.
package struct SigningFault: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
