import Foundation
import Payments

/// What is wrong with a configuration file: the file, the place inside it, and what to do about it.
package struct ConfigurationError: Error, Hashable, CustomStringConvertible {
    package let file: String
    /// `accounts.acme.sources.meld-live.key`, or `line 12, column 3`; empty for the file as a whole.
    package let place: String
    package let message: String

    package init(file: String, place: String, message: String) {
        self.file = file
        self.place = place
        self.message = message
    }

    package var description: String {
        place.isEmpty ? "\(file): \(message)" : "\(file): \(place): \(message)"
    }
}

/// One node of a JSON5 file with its path, read strictly: whoever reads an object says which keys it knows, and any
/// other key is an error with a suggestion, so that a misspelt setting never silently means the default.
struct ConfigurationTree: Sendable {
    indirect enum Value: Sendable, Decodable {
        case null
        case bool(Bool)
        case integer(Int64)
        /// A number with a fraction. Settings never need one; amounts and rates are written as text.
        case fraction
        case string(String)
        case list([Value])
        case object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Int64.self) {
                self = .integer(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([Value].self) {
                self = .list(value)
            } else if let value = try? container.decode([String: Value].self) {
                self = .object(value)
            } else {
                self = .fraction
            }
        }
    }

    let file: String
    let path: String
    let value: Value

    /// Reads a whole file's text. `file` is only for messages.
    init(json5 text: String, file: String) throws(ConfigurationError) {
        self.file = file
        path = ""
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            value = try decoder.decode(Value.self, from: Data(text.utf8))
        } catch {
            guard let fault = JSON5Fault.first(in: text) else {
                throw ConfigurationError(file: file, place: "", message: "is not valid JSON5")
            }
            throw ConfigurationError(
                file: file, place: "line \(fault.line), column \(fault.column)", message: fault.message)
        }
    }

    private init(file: String, path: String, value: Value) {
        self.file = file
        self.path = path
        self.value = value
    }

    func fault(_ message: String) -> ConfigurationError {
        ConfigurationError(file: file, place: path, message: message)
    }

    private func child(_ key: String, _ value: Value) -> ConfigurationTree {
        ConfigurationTree(file: file, path: path.isEmpty ? key : "\(path).\(key)", value: value)
    }

    /// The members, all of whose keys must be among `known`.
    func object(known: [String]) throws(ConfigurationError) -> [String: ConfigurationTree] {
        let members = try self.members()
        for key in members.keys.sorted() where !known.contains(key) {
            let hint = Suggestion.nearest(to: key, among: known).map { "; did you mean '\($0)'?" } ?? ""
            let list = known.sorted().joined(separator: ", ")
            throw ConfigurationError(
                file: file, place: path.isEmpty ? key : "\(path).\(key)",
                message: "is no setting here\(hint) (known: \(list))")
        }
        return members
    }

    /// The members of an object whose keys are names chosen by the operator.
    func members() throws(ConfigurationError) -> [String: ConfigurationTree] {
        guard case .object(let members) = value else { throw fault("must be an object {…}") }
        var result: [String: ConfigurationTree] = [:]
        for (key, value) in members { result[key] = child(key, value) }
        return result
    }

    func list() throws(ConfigurationError) -> [ConfigurationTree] {
        guard case .list(let elements) = value else { throw fault("must be a list […]") }
        return elements.enumerated().map { child("\($0.offset)", $0.element) }
    }

    func string() throws(ConfigurationError) -> String {
        guard case .string(let text) = value, !text.isEmpty else { throw fault("must be a text that is not empty") }
        return text
    }

    func strings() throws(ConfigurationError) -> [String] {
        var result: [String] = []
        for element in try list() { result.append(try element.string()) }
        return result
    }

    func integer(in range: ClosedRange<Int64>) throws(ConfigurationError) -> Int64 {
        guard case .integer(let number) = value, range.contains(number) else {
            throw fault("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func bool() throws(ConfigurationError) -> Bool {
        guard case .bool(let flag) = value else { throw fault("must be true or false") }
        return flag
    }

    func decimal() throws(ConfigurationError) -> ExactDecimal {
        switch value {
        case .integer(let number):
            if let exact = try? ExactDecimal(String(number)) { return exact }
        case .string(let text):
            if let exact = try? ExactDecimal(text) { return exact }
        default: break
        }
        throw fault("must be an exact number written as text, e.g. \"0.01\"")
    }

    func word<T: RawRepresentable & CaseIterable>(_ type: T.Type) throws(ConfigurationError) -> T
    where T.RawValue == String {
        let text = try string()
        guard let word = T(rawValue: text) else {
            throw fault("must be one of \(T.allCases.map(\.rawValue).joined(separator: ", ")), not '\(text)'")
        }
        return word
    }

    /// `15 minutes`, `24 hours`, `10 days`, in seconds.
    func duration() throws(ConfigurationError) -> Int64 {
        let text = try string()
        guard let seconds = DurationText.seconds(text) else {
            throw fault("must be a time span such as \"15 minutes\", \"24 hours\" or \"10 days\"")
        }
        return seconds
    }

    /// The same, of a second at least.
    func positiveDuration() throws(ConfigurationError) -> Int64 {
        let seconds = try duration()
        if seconds < 1 { throw fault("must be a second at least") }
        return seconds
    }

    var isNull: Bool {
        if case .null = value { return true }
        return false
    }
}

/// Time spans as people write them.
enum DurationText {
    static func seconds(_ text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let count = Int64(parts[0]), count >= 0, count < 1_000_000 else { return nil }
        switch parts[1] {
        case "second", "seconds": return count
        case "minute", "minutes": return count * 60
        case "hour", "hours": return count * 3600
        case "day", "days": return count * 86_400
        default: return nil
        }
    }
}
