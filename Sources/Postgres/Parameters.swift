import CPostgres
import Payments

/// Bound values as libpq takes them: one flat buffer, and for each value its type, place, length and format.
struct Parameters {
    /// The wire counts them in 16 bits.
    static let maximum = 65_535

    private var types: [Oid] = []
    private var places: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []
    private var bytes: [UInt8] = []

    init(_ values: [SQLValue]) throws(PostgresError) {
        if values.count > Self.maximum {
            throw .usage(
                "\(values.count) values bound to one statement, at most \(Self.maximum) are possible; use copyIn")
        }
        types.reserveCapacity(values.count)
        places.reserveCapacity(values.count)
        for value in values { try add(value) }
    }

    private mutating func add(_ value: SQLValue) throws(PostgresError) {
        let start = bytes.count
        var format: Int32 = 1
        var isNull = false
        var type: UInt32 = 0
        switch value {
        case .null: isNull = true
        case .bool(let flag):
            type = PostgresType.bool
            bytes.append(flag ? 1 : 0)
        case .int(let number):
            type = PostgresType.int8
            bytes.appendBigEndian(number)
        case .text(let text):
            type = PostgresType.text
            bytes.append(contentsOf: text.utf8)
        case .decimal(let number):
            type = PostgresType.numeric
            NumericCoding.encode(number, into: &bytes)
        case .timestamp(let moment):
            type = PostgresType.timestamptz
            bytes.appendBigEndian(try BinaryTime.encode(moment))
        case .date(let text):
            type = PostgresType.date
            bytes.appendBigEndian(try BinaryTime.encode(date: text))
        case .bytes(let body):
            type = PostgresType.bytea
            bytes.append(contentsOf: body)
        case .json(let text):
            type = PostgresType.jsonb
            bytes.append(1)
            bytes.append(contentsOf: text.utf8)
        case .interval(let text):
            type = PostgresType.interval
            format = 0
            bytes.append(contentsOf: text.utf8)
        case .textArray(let elements):
            type = PostgresType.textArray
            BinaryArray.encode(elements, type: PostgresType.text, into: &bytes) { $1.append(contentsOf: $0.utf8) }
        case .intArray(let elements):
            type = PostgresType.int8Array
            BinaryArray.encode(elements, type: PostgresType.int8, into: &bytes) { $1.appendBigEndian($0) }
        case .bytesArray(let elements):
            type = PostgresType.byteaArray
            BinaryArray.encode(elements, type: PostgresType.bytea, into: &bytes) { $1.append(contentsOf: $0) }
        case .timestampArray(let moments):
            type = PostgresType.timestamptzArray
            var elements: [Int64] = []
            for moment in moments { elements.append(try BinaryTime.encode(moment)) }
            BinaryArray.encode(elements, type: PostgresType.timestamptz, into: &bytes) { $1.appendBigEndian($0) }
        }
        guard let length = Int32(exactly: bytes.count - start) else {
            throw .usage("a value of \(bytes.count - start) bytes cannot be bound")
        }
        types.append(type)
        places.append(isNull ? nil : start)
        lengths.append(length)
        formats.append(format)
        // libpq reads text values up to a NUL.
        bytes.append(0)
    }

    /// Lends the arrays that `PQexecParams` and `PQsendQueryParams` want.
    func withPointers<R>(
        _ body: (
            Int32, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) -> R
    ) -> R {
        bytes.withUnsafeBytes { buffer in
            let base = buffer.bindMemory(to: CChar.self).baseAddress
            let pointers = places.map { place in place.flatMap { offset in base.map { $0 + offset } } }
            return body(Int32(types.count), types, pointers, lengths, formats)
        }
    }
}
