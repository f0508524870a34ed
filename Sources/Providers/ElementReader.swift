import JSON
import Payments

/// Reads typed fields of one element for a mapping; what has another type than documented becomes a fault that names
/// the path and both types, never a value.
struct ElementReader {
    let element: JSONValue

    /// A text; numbers and bools are taken as text, null and the empty text as absent.
    func text(_ path: String) throws(RowFault) -> String? {
        guard let value = element[path: path], !value.isNull else { return nil }
        guard let text = value.scalarText else { throw Self.changed(path, "string", value) }
        return text.isEmpty ? nil : text
    }

    /// The first of several names that holds something.
    func text(anyOf paths: String...) throws(RowFault) -> String? {
        for path in paths { if let text = try text(path) { return text } }
        return nil
    }

    /// An exact number, whether written as number or as text; null is not known, which is not zero.
    func amount(_ path: String) throws(RowFault) -> ExactDecimal? {
        guard let value = element[path: path], !value.isNull else { return nil }
        guard value.kind == .number || value.kind == .string else { throw Self.changed(path, "number", value) }
        do throws(ExactDecimal.Fault) {
            return try value.decimal()
        } catch {
            throw RowFault(error == .notANumber ? "\(path): not a number" : "\(path): beyond supported precision")
        }
    }

    func amount(anyOf paths: String...) throws(RowFault) -> ExactDecimal? {
        for path in paths { if let amount = try amount(path) { return amount } }
        return nil
    }

    func time(_ path: String) throws(RowFault) -> Timestamp? {
        guard let text = try text(path) else { return nil }
        guard let time = Timestamp(text) else { throw RowFault("\(path): not a time") }
        return time
    }

    func bool(_ path: String) throws(RowFault) -> Bool? {
        guard let value = element[path: path], !value.isNull else { return nil }
        guard let bool = value.boolValue else { throw Self.changed(path, "bool", value) }
        return bool
    }

    /// Nil unless the member is an object; an array or scalar in its place is a fault.
    func checkObject(_ path: String) throws(RowFault) {
        guard let value = element[path: path], !value.isNull, !value.isObject else { return }
        throw Self.changed(path, "object", value)
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
