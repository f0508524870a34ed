import Testing

@testable import JobRunner

@Suite("Relations of sources")
struct SourceRelationsTests {
    /// The message that a configuration of these accounts raises, each a list of `name provider relations`.
    private func fault(_ accounts: [String: [String]]) -> String {
        let text = accounts.sorted { $0.key < $1.key }.enumerated().map { index, account in
            let sources = account.value.map { line in
                let words = line.split(separator: " ", maxSplits: 2).map(String.init)
                let rest = words.count > 2 ? words[2] : ""
                let environment = rest.contains("environment") ? "" : "environment: 'live', "
                return "'\(words[0])': {provider: '\(words[1])', \(environment)api_key: {env: 'K'}, \(rest)}"
            }
            return "\(account.key): {id: \(index + 1), sources: {\(sources.joined(separator: ", "))}}"
        }
        do {
            _ = try Configuration.read(
                text: "{accounts: {\(text.joined(separator: ", "))}}", file: "t.json5", directory: "/etc/tieout",
                environment: ["K": "key"])
            return ""
        } catch {
            return error.description
        }
    }

    @Test("a provider beneath its aggregator and a source that succeeds another are accepted")
    func accepted() {
        let all = [
            "meld meld", "mercuryo mercuryo beneath: 'meld'", "meld-2 meld succeeds: 'meld'",
            "banxa banxa beneath: 'meld-2'",
        ]
        #expect(fault(["acme": all]) == "")
    }

    @Test("unknown names are refused with a suggestion, another account's source by that account")
    func names() {
        let unknown = fault(["acme": ["meld-live meld", "mercuryo mercuryo beneath: 'meld-lvie'"]])
        #expect(unknown.contains("accounts.acme.sources"))
        #expect(unknown.contains("'mercuryo': beneath names 'meld-lvie'") && unknown.contains("'meld-live'?"))
        let other = fault(["acme": ["meld meld"], "beta": ["mercuryo mercuryo beneath: 'meld'"]])
        #expect(other.contains("which belongs to account 'acme'; both must belong to one account"))
    }

    @Test("circles are refused, however long, and told whole")
    func circles() {
        #expect(fault(["acme": ["a meld succeeds: 'a'"]]).contains("succeeds names the source itself"))
        let two = fault(["acme": ["a meld succeeds: 'b'", "b meld succeeds: 'a'"]])
        #expect(two.contains("in a circle: a → b → a"))
        let mixed = fault(["acme": ["a meld succeeds: 'c'", "b mercuryo beneath: 'a'", "c meld beneath: 'b'"]])
        #expect(mixed.contains("in a circle: a → c → b → a"))
        let beside = fault(["acme": ["a mercuryo beneath: 'b'", "b meld succeeds: 'c'", "c meld succeeds: 'b'"]])
        #expect(beside.contains("in a circle: b → c → b"))
    }

    @Test("chains that no view follows to their end are refused")
    func chains() {
        let sources = (1...5).map { "s\($0) meld" + ($0 > 1 ? " succeeds: 's\($0 - 1)'" : "") }
        #expect(fault(["acme": Array(sources.prefix(4))]) == "")
        #expect(fault(["acme": sources]).contains("too long a chain of sources (at most 4): s5 → s4 → s3 → s2 → s1"))
    }

    @Test("one space is of one provider, a stack is of two, and test and live do not mix")
    func kin() {
        #expect(
            fault(["acme": ["a meld", "b banxa succeeds: 'a'"]]).contains("'b' (banxa) cannot succeed 'a' (meld)"))
        #expect(fault(["acme": ["a meld", "b meld beneath: 'a'"]]).contains("both are meld"))
        #expect(
            fault(["acme": ["a meld", "b banxa environment: 'sandbox', beneath: 'a'"]])
                .contains("'b' is sandbox and 'a' is live"))
        #expect(fault(["acme": ["a meld", "b banxa succeeds: 'a', beneath: 'a'"]]).contains("cannot both succeed"))
    }
}
