package import Payments

/// Why one element could not be mapped. It goes to quarantine and costs that row alone.
package struct RowFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// `type_changed: fee int->object`, `missing: id`, `amount: not a number`; never holds a value of the data.
    package let reason: String
    /// The record's id, where it could still be read.
    package var recordID: String?
    /// The references that could still be read.
    package var references: [Reference]

    package init(_ reason: String, recordID: String? = nil, references: [Reference] = []) {
        self.reason = reason
        self.recordID = recordID
        self.references = references
    }

    package var description: String { reason }
}

/// Why an answer of a provider is no usable page or object. Never holds data of the answer.
package enum ProviderFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The answer is no JSON, or not of the documented shape.
    case unreadable(String)
    /// The position is no longer known to the provider; the walk restarts from its last committed place.
    case cursorRejected
    /// The provider refuses the request, and would refuse it again (status and its error code, if any).
    case refused(status: Int, code: String?)

    package var description: String {
        switch self {
        case .unreadable(let what): "unreadable answer: \(what)"
        case .cursorRejected: "the cursor was rejected"
        case .refused(let status, let code): "refused with \(status)" + (code.map { " \($0)" } ?? "")
        }
    }
}
