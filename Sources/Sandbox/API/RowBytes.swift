/// Changes a rendered row as a misbehaviour wants it: whatever the provider, a member gets another value.
enum RowBytes {
    /// `row` with the JSON `value` under every member called `name`, at any depth; where there is none and `inserts`, it
    /// becomes the first member of the row. `outer.name` is a member of the objects called `outer` alone.
    static func set(_ name: String, to value: String, in row: [UInt8], inserts: Bool = false) -> [UInt8] {
        if let dot = name.firstIndex(of: ".") {
            return set(
                String(name[name.index(after: dot)...]), to: value, within: String(name[..<dot]), in: row, inserts)
        }
        let places = values(of: name, in: row)
        guard !places.isEmpty else { return inserts ? inserted(name, value, in: row) : row }
        var result: [UInt8] = []
        result.reserveCapacity(row.count + value.utf8.count * places.count)
        var position = 0
        for place in places {
            result += row[position..<place.lowerBound]
            result += value.utf8
            position = place.upperBound
        }
        result += row[position...]
        return result
    }

    private static func set(
        _ name: String, to value: String, within outer: String, in row: [UInt8], _ inserts: Bool
    ) -> [UInt8] {
        let places = values(of: outer, in: row).filter { row[$0.lowerBound] == UInt8(ascii: "{") }
        let changed = places.reversed().reduce(into: row) { row, place in
            row.replaceSubrange(place, with: set(name, to: value, in: Array(row[place])))
        }
        guard inserts, changed == row else { return changed }
        return inserted(outer, "{\"\(name)\":\(value)}", in: row)
    }

    private static func inserted(_ name: String, _ value: String, in row: [UInt8]) -> [UInt8] {
        guard let open = row.firstIndex(of: UInt8(ascii: "{")) else { return row }
        let rest = row[(open + 1)...]
        let isEmpty = rest.first { $0 > 32 } == UInt8(ascii: "}")
        return Array(row[...open]) + Array("\"\(name)\":\(value)\(isEmpty ? "" : ",")".utf8) + Array(rest)
    }

    /// Where the values of members called `name` stand, in order, none within another.
    private static func values(of name: String, in row: [UInt8]) -> [Range<Int>] {
        let wanted = Array("\"\(name)\"".utf8)
        var places: [Range<Int>] = []
        var position = 0
        while position < row.count {
            guard row[position] == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            let end = endOfString(at: position, in: row)
            var next = end
            while next < row.count, row[next] <= 32 { next += 1 }
            let isMember = next < row.count && row[next] == UInt8(ascii: ":")
            guard isMember, row[position..<end].elementsEqual(wanted) else {
                position = isMember ? next + 1 : end
                continue
            }
            next += 1
            while next < row.count, row[next] <= 32 { next += 1 }
            let close = endOfValue(at: next, in: row)
            places.append(next..<close)
            position = close
        }
        return places
    }

    private static func endOfString(at start: Int, in row: [UInt8]) -> Int {
        var position = start + 1
        while position < row.count {
            if row[position] == UInt8(ascii: "\\") {
                position += 2
                continue
            }
            if row[position] == UInt8(ascii: "\"") { return position + 1 }
            position += 1
        }
        return row.count
    }

    private static func endOfValue(at start: Int, in row: [UInt8]) -> Int {
        var position = start
        var depth = 0
        while position < row.count {
            switch row[position] {
            case UInt8(ascii: "\""):
                position = endOfString(at: position, in: row)
                if depth == 0 { return position }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return position }
                depth -= 1
                if depth == 0 { return position + 1 }
            case UInt8(ascii: ",") where depth == 0: return position
            default: break
            }
            position += 1
        }
        return row.count
    }
}
