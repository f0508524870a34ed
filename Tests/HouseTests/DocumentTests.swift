import Foundation
import Providers
import TestSupport
import Testing

@testable import JobRunner

/// What the documents promise is there.
@Suite("Documents")
struct DocumentTests {
    static var documents: [String] { House.files(under: "", ".md") }

    /// Link targets of a page that lie in the checkout, without their anchors.
    static func links(_ text: String) throws -> [String] {
        try House.matches(#"\]\(([^)\s]+)\)"#, in: text).compactMap { link in
            if link.contains("://") || link.hasPrefix("#") || link.hasPrefix("mailto:") { return nil }
            return String(link.prefix { $0 != "#" })
        }
    }

    /// Files that a page names in code spans: paths below a known folder, and Swift files by their bare name.
    static func namedFiles(_ text: String) throws -> [String] {
        try House.matches(#"`([^`\s]+)`"#, in: text).filter { name in
            if name.contains(where: { "*{}<>…$(".contains($0) }) || name.contains("NNNN") { return false }
            return !(try House.matches(#"\A(?:Sources|Tests|SQL|Reports|Jobs|Scripts|\.ci)/"#, in: name)).isEmpty
                || name.hasSuffix(".swift")
        }
    }

    @Test("the four documents are there")
    func four() {
        for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] { #expect(House.exists(name)) }
    }

    @Test("the README is read in one go: 50 to 80 lines")
    func short() throws {
        let count = House.lines(try House.text("README.md")).count - 1
        #expect((50...80).contains(count), "\(count) lines")
    }

    @Test("every relative link resolves")
    func linksResolve() throws {
        for file in Self.documents {
            let folder = file.split(separator: "/").dropLast().map { $0 + "/" }.joined()
            for link in try Self.links(House.text(file)) {
                #expect(House.exists(folder + link), "\(file) links to \(link)")
            }
        }
    }

    @Test("every file that a document names exists")
    func filesExist() throws {
        let bareNames = Set(
            House.files(under: "", ".swift").compactMap { $0.split(separator: "/").last.map(String.init) })
        for file in Self.documents {
            for name in try Self.namedFiles(House.text(file)) {
                let isThere = House.exists(name) || bareNames.contains(name)
                #expect(isThere, "\(file) names \(name)")
            }
        }
    }

    @Test("every `make` target that a document names is in the Makefile, and `make help` lists every target")
    func makeTargets() throws {
        let makefile = try House.text("Makefile")
        let rules = try House.matches(#"^([A-Za-z][\w.-]*):(?!=)"#, in: makefile)
        let listed = try House.matches(#"^([a-z-]+):.*## \S"#, in: makefile)
        #expect(Set(rules) == Set(listed) && rules.count >= 6)
        let phony = try House.matches(#"^\.PHONY: (.*)$"#, in: makefile).flatMap {
            $0.split(separator: " ").map(String.init)
        }
        #expect(Set(phony) == Set(rules))
        for file in Self.documents {
            for target in try House.matches(#"(?:`|^    |^)make ([a-z-]+)"#, in: House.text(file)) {
                #expect(rules.contains(target), "\(file) says make \(target)")
            }
        }
        for script in try House.matches(#"@(Scripts/[\w-]+)"#, in: makefile) {
            #expect(House.exists(script), "the Makefile runs \(script)")
        }
    }

    @Test("every `tieout` command that a document names is a command")
    func commands() throws {
        for file in Self.documents {
            for text in try House.matches(#"`tieout ([a-z][^`]*)`"#, in: House.text(file)) {
                let words = text.split(separator: " ").map(String.init)
                let isKnown = Command.all.contains { words.starts(with: $0.words) }
                #expect(isKnown, "\(file) says tieout \(text)")
            }
        }
    }

    @Test("the README's table of exit statuses is the program's")
    func exitStatuses() throws {
        let stated = try House.matches(#"^\| (\d+) \|"#, in: House.text("README.md")).compactMap { Int32($0) }
        #expect(stated.sorted() == Set(ExitStatus.allCases.map(\.rawValue)).sorted())
    }

    @Test("the README's configuration is one: it parses, and every source's provider and options exist")
    func configuration() throws {
        let readme = try House.text("README.md")
        let block = try #require(House.matches(#"```json5\n([\s\S]*?)```"#, in: readme).first)
        let names = try House.matches(#"env: "(\w+)""#, in: block)
        #expect(!names.isEmpty)
        let environment = Dictionary(names.map { ($0, "a-stub") }, uniquingKeysWith: { first, _ in first })
        let configuration = try Configuration.read(
            text: block, file: "README.md", directory: Checkout.root, environment: environment)
        for account in configuration.accounts {
            // Makes the providers too, which check their own options.
            #expect(try !SourceSet(account: account, root: Checkout.root).all.isEmpty)
        }
        #expect(throws: ConfigurationError.self) {
            _ = try Configuration.read(
                text: block.replacing("accounts", with: "acounts"), file: "README.md", directory: Checkout.root,
                environment: environment)
        }
    }

    @Test("every option and secret that a provider takes is described with it, and no other")
    func providerSettings() throws {
        let page = try House.text("Jobs/CONFIGURATION.md")
        let sections = page.split(separator: "\n### ").dropFirst()
        #expect(sections.count == Catalogue.entries.count)
        for entry in Catalogue.entries {
            let section = try #require(sections.first { $0.prefix { $0 != "\n" }.hasSuffix("(`\(entry.name)`)") })
            func named(_ kind: String) throws -> [String] {
                try House.matches(#"^\| `(\w+)` \| "# + kind + #" \| [^|]*\| [^|]*\w"#, in: String(section)).sorted()
            }
            #expect(try named("option") == entry.optionNames.sorted(), "\(entry.name)")
            #expect(try named("secret") == (entry.secretNames + ["api_key"]).sorted(), "\(entry.name)")
        }
    }

    @Test("every setting that the configuration and jobs may have is described")
    func settings() throws {
        let pages = try House.text("Jobs/CONFIGURATION.md") + House.text("Jobs/README.md")
        var settings: Set<String> = []
        for file in House.files(under: "Sources/JobRunner/Configuration", ".swift") {
            for list in try House.matches(#"known: \[([^\]]*)\]"#, in: House.text(file)) {
                settings.formUnion(try House.matches(#""(\w+)""#, in: list))
            }
        }
        #expect(settings.isSuperset(of: ["beneath", "requests_per_minute", "decimal", "period_days", "cut_off"]))
        for setting in settings.sorted() {
            let isNamed = try !House.matches("\\b(\(setting))\\b", in: pages).isEmpty
            #expect(isNamed, "\(setting)")
        }
    }

    @Test("the searches find what they are for")
    func searches() throws {
        #expect(try Self.links("[a](b.md#c) [d](https://e.example) [f](#g)") == ["b.md"])
        #expect(
            try Self.namedFiles("`SQL/a.sql` `b.swift` `SQL/rules/<id>.sql` `c d` `make e`") == [
                "SQL/a.sql", "b.swift",
            ])
    }
}
