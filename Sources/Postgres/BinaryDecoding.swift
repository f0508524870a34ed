import Payments

/// Values out of PostgreSQL's binary formats. Each function gives nil where the type is not one it reads, or where the
/// value has no exact counterpart here (NaN, the infinities, null array elements).
enum BinaryDecoding {
    typealias Raw = UnsafeRawBufferPointer

    static func bool(_ type: UInt32, _ raw: Raw) -> Bool? {
        type == PostgresType.bool && raw.count == 1 ? raw[0] != 0 : nil
    }

    static func int(_ type: UInt32, _ raw: Raw) -> Int64? {
        switch (type, raw.count) {
        case (PostgresType.int8, 8): raw.bigEndian(Int64.self)
        case (PostgresType.int4, 4): Int64(raw.bigEndian(Int32.self))
        case (PostgresType.int2, 2): Int64(raw.bigEndian(Int16.self))
        case (PostgresType.oid, 4): Int64(raw.bigEndian(UInt32.self))
        default: nil
        }
    }

    static func decimal(_ type: UInt32, _ raw: Raw) -> ExactDecimal? {
        if type == PostgresType.numeric {
            guard let digits = NumericCoding.decode(raw) else { return nil }
            return try? ExactDecimal(utf8: digits[...])
        }
        return int(type, raw).flatMap { try? ExactDecimal(String($0)) }
    }

    static func timestamp(_ type: UInt32, _ raw: Raw) -> Timestamp? {
        guard type == PostgresType.timestamptz || type == PostgresType.timestamp, raw.count == 8 else { return nil }
        return BinaryTime.decode(raw.bigEndian(Int64.self))
    }

    static func date(_ type: UInt32, _ raw: Raw) -> String? {
        guard type == PostgresType.date, raw.count == 4 else { return nil }
        return BinaryTime.decode(date: raw.bigEndian(Int32.self))
    }

    static func textArray(_ type: UInt32, _ raw: Raw) -> [String]? {
        switch type {
        case PostgresType.textArray, PostgresType.varcharArray, PostgresType.nameArray: break
        default: return nil
        }
        return elements(raw) { string($0) }
    }

    static func intArray(_ type: UInt32, _ raw: Raw) -> [Int64]? {
        switch type {
        case PostgresType.int8Array: elements(raw) { int(PostgresType.int8, $0) }
        case PostgresType.int4Array: elements(raw) { int(PostgresType.int4, $0) }
        default: nil
        }
    }

    /// Binary floating point is no text here on purpose: its digits are not what anybody wrote.
    static func text(_ type: UInt32, _ raw: Raw) -> String? {
        if PostgresType.isText(type) { return string(raw) }
        switch type {
        case PostgresType.json: return string(raw)
        case PostgresType.jsonb: return raw.first == 1 ? string(Raw(rebasing: raw.dropFirst())) : nil
        case PostgresType.uuid: return uuid(raw)
        case PostgresType.numeric: return NumericCoding.decode(raw).map { String(decoding: $0, as: UTF8.self) }
        case PostgresType.bool: return bool(type, raw).map { $0 ? "true" : "false" }
        case PostgresType.date: return date(type, raw)
        case PostgresType.interval: return interval(raw)
        case PostgresType.timestamptz, PostgresType.timestamp: return timestamp(type, raw)?.description
        default: return int(type, raw).map { String($0) }
        }
    }

    private static func string(_ raw: Raw) -> String { String(decoding: raw, as: UTF8.self) }

    private static func elements<T>(_ raw: Raw, _ read: (Raw) -> T?) -> [T]? {
        guard let parts = BinaryArray.decode(raw) else { return nil }
        let values = parts.compactMap { $0.flatMap(read) }
        return values.count == parts.count ? values : nil
    }

    private static func uuid(_ raw: Raw) -> String? {
        guard raw.count == 16 else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (place, byte) in raw.enumerated() {
            if [4, 6, 8, 10].contains(place) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// ISO 8601 with months, days and the exact time kept apart, as PostgreSQL keeps them: `P1M2DT3H4M5.5S`.
    private static func interval(_ raw: Raw) -> String? {
        guard raw.count == 16 else { return nil }
        let micros = raw.bigEndian(Int64.self)
        let days = raw.bigEndian(Int32.self, at: 8)
        let months = raw.bigEndian(Int32.self, at: 12)
        var text = "P"
        if months != 0 { text += "\(months)M" }
        if days != 0 { text += "\(days)D" }
        if micros != 0 {
            text += "T"
            let (hours, rest) = micros.quotientAndRemainder(dividingBy: 3_600_000_000)
            let (minutes, small) = rest.quotientAndRemainder(dividingBy: 60_000_000)
            if hours != 0 { text += "\(hours)H" }
            if minutes != 0 { text += "\(minutes)M" }
            let seconds = (try? ExactDecimal(String(small)))?.shifted(6)
            if small != 0, let seconds { text += "\(seconds)S" }
        }
        return text == "P" ? "PT0S" : text
    }
}

extension ExactDecimal {
    fileprivate func shifted(_ exponent: Int) -> ExactDecimal? { try? shiftedDown(by: exponent) }
}
