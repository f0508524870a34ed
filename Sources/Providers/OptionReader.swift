import Payments

/// Reads what a source's configuration says to its provider. Every fault names the provider, the setting and what is
/// possible, and never a secret.
struct OptionReader {
    let provider: String
    let options: ProviderOptions

    init(_ provider: String, _ options: ProviderOptions) {
        self.provider = provider
        self.options = options
    }

    func fault(_ what: String) -> ProviderConfigurationFault { ProviderConfigurationFault("\(provider): \(what)") }

    /// Whether the environment is that of real money.
    func isLive() throws(ProviderConfigurationFault) -> Bool {
        switch options.environment {
        case "live": return true
        case "sandbox": return false
        case let other: throw fault("environment `\(other)` is neither live nor sandbox")
        }
    }

    /// Scheme and host, without a slash at the end: as configured, else the provider's own for the environment.
    func base(live: String, sandbox: String) throws(ProviderConfigurationFault) -> String {
        if let given = options.apiBase { return Self.base(given) }
        return try isLive() ? live : sandbox
    }

    static func base(_ text: String) -> String {
        var base = text
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }

    /// `api_key`; `what` says what the provider calls it.
    func apiKey(_ what: String? = nil) throws(ProviderConfigurationFault) -> Secret {
        guard let key = options.apiKey, !key.isEmpty else {
            throw fault("an API key is needed" + (what.map { ": \($0)" } ?? ""))
        }
        // A line break in a header would end it; a key pasted from a file often carries one.
        guard Self.isPlain(key.reveal()) else {
            throw fault("the API key holds blanks or line breaks" + (what.map { "; it is \($0)" } ?? ""))
        }
        return key
    }

    /// A secret that goes into a header, or signs; `what` says what the provider calls it.
    func secret(_ name: String, _ what: String) throws(ProviderConfigurationFault) -> Secret {
        guard let secret = options.secrets[name], !secret.isEmpty else {
            throw fault("the secret \(name) is needed: \(what)")
        }
        guard Self.isPlain(secret.reveal()) else { throw fault("the secret \(name) holds blanks or line breaks") }
        return secret
    }

    /// Whether a text can be a header's value or a part of a path: visible ASCII alone.
    static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value > 32 && $0.value < 127 }
    }

    /// A whole number; `usual` where the option is not set. `what` says more than the range does.
    func number(
        _ name: String, _ range: ClosedRange<Int>, usual: Int, _ what: String? = nil
    ) throws(ProviderConfigurationFault) -> Int {
        guard let text = options.options[name] else { return usual }
        guard let number = Int(text), range.contains(number) else {
            throw fault("\(name) must be \(what ?? "\(range.lowerBound) to \(range.upperBound)")")
        }
        return number
    }

    /// One of the words of an enumeration; nil where the option is not set.
    func word<Word: RawRepresentable & CaseIterable>(
        _ name: String
    ) throws(ProviderConfigurationFault) -> Word? where Word.RawValue == String {
        guard let text = options.options[name] else { return nil }
        guard let word = Word(rawValue: text) else { throw wrong(name, Word.allCases.map(\.rawValue)) }
        return word
    }

    /// Whether an option with two words is set to `yes`; `usual` where it is not set.
    func flag(
        _ name: String, yes: String, no: String, usual: Bool
    ) throws(ProviderConfigurationFault) -> Bool {
        switch options.options[name] {
        case nil: return usual
        case yes: return true
        case no: return false
        default: throw wrong(name, [yes, no])
        }
    }

    /// A text that is not empty; nil where the option is not set.
    func text(_ name: String) throws(ProviderConfigurationFault) -> String? {
        guard let text = options.options[name] else { return nil }
        if text.isEmpty { throw fault("\(name) must not be empty") }
        return text
    }

    private func wrong(_ name: String, _ words: [String]) -> ProviderConfigurationFault {
        let last = words.last ?? ""
        return fault("\(name) must be \(words.dropLast().joined(separator: ", ")) or \(last)")
    }
}
