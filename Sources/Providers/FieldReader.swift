import JSON
import Payments

/// One field of a mapping: its path, and its place in the mapping's table.
struct Field: Sendable {
    let path: String
    let number: Int
}

/// Reads typed fields of one element that was walked once, as `ElementReader` does one by one. A mapping asks for dozens
/// of fields of every row.
struct FieldReader {
    let element: JSONValue
    private let fields: FieldTable.Fields

    init(_ element: JSONValue, _ table: FieldTable) {
        self.element = element
        fields = table.read(element)
    }

    func value(_ field: Field) -> JSONValue? { fields[field.number] }

    /// A text; numbers and bools are taken as text, null and the empty text as absent.
    func text(_ field: Field) throws(RowFault) -> String? { try ElementReader.text(value(field), field.path) }

    /// The first of several names that holds something.
    func text(anyOf names: Field...) throws(RowFault) -> String? {
        for field in names { if let text = try text(field) { return text } }
        return nil
    }

    /// An exact number, whether written as number or as text; null is not known, which is not zero.
    func amount(_ field: Field) throws(RowFault) -> ExactDecimal? {
        try ElementReader.amount(value(field), field.path)
    }

    func amount(anyOf names: Field...) throws(RowFault) -> ExactDecimal? {
        for field in names { if let amount = try amount(field) { return amount } }
        return nil
    }

    func time(_ field: Field) throws(RowFault) -> Timestamp? { try ElementReader.time(value(field), field.path) }
    func bool(_ field: Field) throws(RowFault) -> Bool? { try ElementReader.bool(value(field), field.path) }

    /// Nil unless the member is an object; an array or scalar in its place is a fault.
    func checkObject(_ field: Field) throws(RowFault) { try ElementReader.checkObject(value(field), field.path) }
}
