import JSON
import Payments

/// Reads typed fields of one element for a mapping; what has another type than documented becomes a fault that names
/// the path and both types, never a value.
struct ElementReader {
    let element: JSONValue

    /// A text; numbers and bools are taken as text, null and the empty text as absent.
    func text(_ path: String) throws(RowFault) -> String? { try Self.text(element[path: path], path) }

    /// The first of several names that holds something.
    func text(anyOf paths: String...) throws(RowFault) -> String? {
        for path in paths { if let text = try text(path) { return text } }
        return nil
    }

    func time(_ path: String) throws(RowFault) -> Timestamp? { try Self.time(element[path: path], path) }

    func bool(_ path: String) throws(RowFault) -> Bool? { try Self.bool(element[path: path], path) }

    /// Nil unless the member is an object; an array or scalar in its place is a fault.
    func checkObject(_ path: String) throws(RowFault) { try Self.checkObject(element[path: path], path) }

    /// Throws where `element` is no object, holds what no column can, or names a member twice: which of the two counts
    /// nobody can tell.
    static func checkUsable(_ element: JSONValue) throws(RowFault) {
        guard element.isObject else { throw RowFault("no object") }
        guard element.isReadable else { throw RowFault("a text or number that cannot be stored") }
        if element.hasDuplicateKeys { throw RowFault("a key occurs twice") }
    }

    // MARK: One value

    static func text(_ value: JSONValue?, _ path: @autoclosure () -> String) throws(RowFault) -> String? {
        guard let value, !value.isNull else { return nil }
        guard let text = value.scalarText else { throw changed(path(), "string", value) }
        return text.isEmpty ? nil : text
    }

    static func time(_ value: JSONValue?, _ path: @autoclosure () -> String) throws(RowFault) -> Timestamp? {
        guard let value, !value.isNull else { return nil }
        guard let text = value.scalarBytes else { throw changed(path(), "string", value) }
        if text.isEmpty { return nil }
        guard let time = Timestamp(utf8: text) else { throw RowFault("\(path()): not a time") }
        return time
    }

    static func amount(_ value: JSONValue?, _ path: @autoclosure () -> String) throws(RowFault) -> ExactDecimal? {
        guard let value, !value.isNull else { return nil }
        guard value.kind == .number || value.kind == .string else { throw changed(path(), "number", value) }
        do throws(ExactDecimal.Fault) {
            return try value.decimal()
        } catch {
            throw RowFault(error == .notANumber ? "\(path()): not a number" : "\(path()): beyond supported precision")
        }
    }

    static func bool(_ value: JSONValue?, _ path: @autoclosure () -> String) throws(RowFault) -> Bool? {
        guard let value, !value.isNull else { return nil }
        guard let bool = value.boolValue else { throw changed(path(), "bool", value) }
        return bool
    }

    static func checkObject(_ value: JSONValue?, _ path: @autoclosure () -> String) throws(RowFault) {
        guard let value, !value.isNull, !value.isObject else { return }
        throw changed(path(), "object", value)
    }

    static func changed(_ path: String, _ expected: String, _ value: JSONValue) -> RowFault {
        let found =
            switch value.kind {
            case .object: "object"
            case .array: "array"
            case .string: "string"
            case .number: "number"
            case .bool: "bool"
            case .null: "null"
            }
        return RowFault("type_changed: \(path) \(expected)->\(found)")
    }
}
