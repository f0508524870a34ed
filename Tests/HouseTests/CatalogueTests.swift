import Foundation
import JobRunner
import Providers
import TestSupport
import Testing

/// What is added by a folder or a file is complete.
@Suite("Folders")
struct CatalogueTests {
    @Test("every provider's folder has the same file names, a status map and tests")
    func providers() throws {
        #expect(!Catalogue.entries.isEmpty)
        // A name's capitals are its own (`DLocal`, `PushCash`); the catalogue writes small letters.
        let folders = Set(
            House.files(under: "Sources/Providers").map { $0.split(separator: "/") }.filter { $0.count > 3 }
                .map { String($0[2]) })
        #expect(folders.map { $0.lowercased() }.sorted() == Catalogue.entries.map(\.name).sorted())
        for entry in Catalogue.entries {
            let name = folders.first { $0.lowercased() == entry.name } ?? entry.name
            for aspect in ["Provider", "Configuration", "Pages", "Mapping", "Webhooks"] {
                let file = "Sources/Providers/\(name)/\(name)+\(aspect).swift"
                #expect(House.exists(file), "\(file) is missing")
            }
            #expect(House.exists(Catalogue.statusMapPath(entry.name)))
            #expect(House.exists("Tests/ProvidersTests/\(name)Tests.swift"))
        }
    }

    @Test("every report's folder has definition, query and README")
    func reports() throws {
        let folders = Set(
            House.files(under: "Reports").map { $0.split(separator: "/") }.filter { $0.count > 2 }
                .map { String($0[1]) }
        ).subtracting(["index", "theme"])
        #expect(folders.count >= 5)
        for folder in folders {
            for file in ["report.json5", "query.sql", "README.md"] {
                #expect(House.exists("Reports/\(folder)/\(file)"), "Reports/\(folder)/\(file) is missing")
            }
        }
    }

    @Test("every job parses")
    func jobs() throws {
        let jobs = House.files(under: "Jobs", ".json5")
        #expect(!jobs.isEmpty)
        for file in jobs {
            let name = String(file.dropFirst("Jobs/".count).dropLast(".json5".count))
            #expect(try !JobDefinition.read(name: name, root: Checkout.root).steps.isEmpty)
        }
    }
}
