import Providers
import Testing

@Suite("What providers declare of returns and disputes")
struct DeclarationTests {
    @Test("a provider shows parts and disputes where it has such records, else no more than its statuses say")
    func returns() throws {
        let words: [String: (returns: Declaration.Returns, disputes: Bool)] = [
            "meld": (.whole, true), "banxa": (.whole, false), "stripe": (.never, false), "coinbase": (.never, false),
            "mercuryo": (.never, false),
        ]
        for name in Catalogue.entries.map(\.name) {
            var seen = 0
            try Sheet(name).forEachExample { _, provider in
                seen += 1
                let declared = provider.declaration
                let hasRefunds = provider.resource(named: "refund") != nil
                #expect(declared.showsReturns == (hasRefunds ? .parts : words[name]?.returns), "\(name)")
                let hasDisputes = provider.resource(named: "dispute") != nil
                #expect(declared.showsDisputes == (hasDisputes || words[name]?.disputes == true), "\(name)")
            }
            #expect(seen > 0, "\(name)")
        }
    }
}
