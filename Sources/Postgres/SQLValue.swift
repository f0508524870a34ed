package import Payments

/// A value bound to `$1`, `$2`, … Each case travels in binary with its own PostgreSQL type, so the server never guesses
/// from the text; where a statement wants another type it casts (`$1::uuid`). `.null` has no type: where the context
/// gives none, write `$1::text`.
package enum SQLValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// bigint.
    case int(Int64)
    case text(String)
    /// numeric.
    case decimal(ExactDecimal)
    /// timestamptz.
    case timestamp(Timestamp)
    /// date, `yyyy-MM-dd`.
    case date(String)
    /// bytea.
    case bytes([UInt8])
    /// jsonb; the text is checked by the server.
    case json(String)
    /// interval in any form that PostgreSQL reads, `36 hours` or `P1D`.
    case interval(String)
    case textArray([String])
    case intArray([Int64])
    case bytesArray([[UInt8]])
    case timestampArray([Timestamp])
}

extension SQLValue {
    package static func bool(_ value: Bool?) -> SQLValue { value.map { .bool($0) } ?? .null }
    package static func int(_ value: Int64?) -> SQLValue { value.map { .int($0) } ?? .null }
    package static func int(_ value: Int) -> SQLValue { .int(Int64(value)) }
    package static func int(_ value: Int?) -> SQLValue { value.map { .int(Int64($0)) } ?? .null }
    package static func text(_ value: String?) -> SQLValue { value.map { .text($0) } ?? .null }
    package static func decimal(_ value: ExactDecimal?) -> SQLValue { value.map { .decimal($0) } ?? .null }
    package static func timestamp(_ value: Timestamp?) -> SQLValue { value.map { .timestamp($0) } ?? .null }
    package static func date(_ value: String?) -> SQLValue { value.map { .date($0) } ?? .null }
    package static func bytes(_ value: [UInt8]?) -> SQLValue { value.map { .bytes($0) } ?? .null }
    package static func json(_ value: String?) -> SQLValue { value.map { .json($0) } ?? .null }
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
}
