/// One kind of misbehaviour and when it strikes.
package struct Fault: Sendable, Hashable {
    /// Which requests count, and may be hit.
    package enum Scope: String, Sendable, Hashable, CaseIterable {
        /// Pages of the list.
        case list
        /// Reads of a single transaction.
        case one
        case all
    }

    package let kind: FaultKind
    /// Requests of its scope that pass before the first it may hit.
    package private(set) var after = 0
    /// Most requests it hits; 0: no end.
    package private(set) var times: Int
    /// It hits every such request.
    package private(set) var every = 1
    /// Percent of the requests that it could hit, drawn from the world's seed.
    package private(set) var chance = 100
    package private(set) var scope: Scope
    private var values: [String: String]

    private static let common = ["after", "times", "every", "chance", "on"]

    /// Reads `KIND[:knob=value]…`.
    package init(_ text: Substring) throws(UsageError) {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let name = parts.isEmpty ? "" : String(parts.removeFirst())
        guard let kind = FaultKind(rawValue: name) else {
            let known = FaultKind.allCases.map(\.rawValue).joined(separator: " ")
            throw UsageError("'\(name)' is no misbehaviour; known: \(known)")
        }
        self.kind = kind
        times = kind.times
        scope = kind.scope
        values = kind.knobs
        for part in parts { try set(part) }
        try check()
    }

    private mutating func set(_ part: Substring) throws(UsageError) {
        let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
        guard pair.count == 2 else { throw UsageError("'\(kind.rawValue):\(part)': a knob is name=value") }
        let (name, value) = (pair[0], pair[1])
        switch name {
        case "after": after = try number(name, value, 0...1_000_000)
        case "times": times = try number(name, value, 0...1_000_000)
        case "every": every = try number(name, value, 1...1_000_000)
        case "chance": chance = try number(name, value, 1...100)
        case "on":
            guard let chosen = Scope(rawValue: value) else { throw UsageError("on=\(value): list, one or all") }
            guard
                chosen == .list || kind.effect != .content || kind == .contentType || kind == .skew || kind.spoilsRows,
                chosen == .list || kind.effect != .world && kind != .expired
            else { throw UsageError("\(kind.rawValue) is about lists only") }
            scope = chosen
        default:
            guard values[name] != nil else {
                let known = (Self.common + kind.knobs.keys.sorted()).joined(separator: " ")
                throw UsageError("\(kind.rawValue) has no knob '\(name)'; it has: \(known)")
            }
            values[name] = value
        }
    }

    /// Values are refused when the specification is read, not when a request meets them.
    private func check() throws(UsageError) {
        for (name, value) in values {
            switch (kind, name) {
            case (.tooMany, "retry-after"):
                guard Int(value) ?? -1 >= 0 || ["date", "garbage", "none"].contains(value) else {
                    throw UsageError("retry-after=\(value): a number of seconds, date, garbage or none")
                }
            case (.serverError, "status") where value == "mixed": continue
            case (.serverError, "status"): _ = try number(name, value, 500...599)
            case (.redirect, "status"): _ = try number(name, value, 300...399)
            case (.empty, "lie"):
                guard ["yes", "no"].contains(value) else { throw UsageError("lie=\(value): yes or no") }
            case (.skew, "seconds"): _ = try number(name, value, -31_536_000...31_536_000)
            case (.total, "off"): _ = try number(name, value, -1_000_000...1_000_000)
            default: _ = try number(name, value, 1...1_000_000)
            }
        }
    }

    private func number(_ name: String, _ text: String, _ range: ClosedRange<Int>) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                "\(kind.rawValue):\(name)=\(text): a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A knob of its kind as text.
    func text(_ knob: String) -> String { values[knob] ?? "" }

    /// A knob of its kind as a number; 0 where it is none.
    func number(_ knob: String) -> Int { Int(text(knob)) ?? 0 }
}

extension Fault: CustomStringConvertible {
    /// As it would be written with every knob that differs from its default.
    package var description: String {
        var text = kind.rawValue
        if after != 0 { text += ":after=\(after)" }
        if times != kind.times { text += ":times=\(times)" }
        if every != 1 { text += ":every=\(every)" }
        if chance != 100 { text += ":chance=\(chance)" }
        if scope != kind.scope { text += ":on=\(scope.rawValue)" }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where kind.knobs[name] != value {
            text += ":\(name)=\(value)"
        }
        return text
    }
}
