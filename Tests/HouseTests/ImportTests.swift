import Testing

/// Imports go one way: `tieout → JobRunner → {Loading, Reconciling, Reporting} → {Providers, Postgres} →
/// {HTTP, JSON, Crypto, Compression} → Payments`. A layer may skip layers, never look back or sideways.
@Suite("Import directions")
struct ImportTests {
    static let layers: [[String]] = [
        ["tieout"], ["JobRunner"], ["Loading", "Reconciling", "Reporting"], ["Providers", "Postgres"],
        ["HTTP", "JSON", "Crypto", "Compression"], ["Payments"],
    ]
    /// Sideways, each with its reason.
    static let sideways: [String: Set<String>] = [
        // Digests of migrations and of statements, which need no second implementation.
        "Postgres": ["Crypto"],
        // It must not share a provider's mapping, or it would agree with its mistakes.
        "Sandbox": ["Payments", "JSON", "Crypto", "Compression"],
        "tieout-sandbox": ["Sandbox"],
    ]
    /// Each C library has one wrapper; HTTP inflates bodies as they arrive, below Compression's whole files.
    static let wrappers: [String: Set<String>] = [
        "CPostgres": ["Postgres"], "CCurl": ["HTTP"], "CCrypto": ["Crypto"], "CSimdJSON": ["JSON"],
        "CZlib": ["Compression", "HTTP"], "CZstd": ["Compression"], "CMicroHTTPD": ["Sandbox"],
    ]
    static let system: Set = ["Dispatch", "Foundation", "FoundationEssentials", "Glibc", "Synchronization"]

    /// Whether code of `target` may say `import module`.
    static func mayImport(_ target: String, _ module: String) -> Bool {
        if let users = wrappers[module] { return users.contains(target) }
        if sideways[target]?.contains(module) == true { return true }
        if system.contains(module) { return target != "Payments" || module.hasPrefix("Foundation") }
        guard let from = layers.firstIndex(where: { $0.contains(target) }),
            let to = layers.firstIndex(where: { $0.contains(module) })
        else { return false }
        return to > from
    }

    static func imports(_ text: String) throws -> [String] {
        try House.matches(
            #"^\s*(?:@\w+\s+)*(?:package |internal |private |fileprivate )?import (?:struct |class |enum |func |protocol |typealias )?(\w+)"#,
            in: text)
    }

    @Test("every import of the sources goes down the layers, and each C library is seen by its wrapper alone")
    func sources() throws {
        let files = House.files(under: "Sources", ".swift")
        #expect(files.count > 100)
        for file in files {
            let target = String(file.split(separator: "/")[1])
            for module in try Self.imports(House.text(file)) {
                #expect(Self.mayImport(target, module), "\(file) imports \(module)")
            }
        }
    }

    @Test("no target declares a dependency that it may not import")
    func manifest() throws {
        let text = try House.text("Package.swift")
        let declared = try House.matches(#"(?:library\(|executableTarget\(name: )\s*("[^\]]+\])"#, in: text)
        #expect(declared.count >= 14)
        for part in declared {
            let names = try House.matches(#""([\w-]+)""#, in: part)
            let target = try #require(names.first)
            for module in names.dropFirst() {
                #expect(Self.mayImport(target, module), "Package.swift lets \(target) use \(module)")
            }
        }
    }

    @Test("walks and retries are decided without I/O")
    func pureCore() throws {
        let pure = [
            "Sources/Loading/Polling/Walk.swift", "Sources/Loading/Polling/WalkPlan.swift",
            "Sources/Loading/Polling/WalkTotals.swift", "Sources/Loading/Polling/WindowSplit.swift",
            "Sources/HTTP/RetryPolicy.swift",
        ]
        for file in pure {
            let modules = Set(try Self.imports(House.text(file)))
            #expect(modules.isSubset(of: ["Payments", "Providers"]), "\(file) imports \(modules.sorted())")
        }
    }

    @Test("the graph refuses what it is for")
    func graph() throws {
        #expect(Self.mayImport("JobRunner", "JSON") && Self.mayImport("Providers", "HTTP"))
        #expect(!Self.mayImport("Providers", "Postgres") && !Self.mayImport("JSON", "Crypto"))
        #expect(!Self.mayImport("Sandbox", "Providers") && !Self.mayImport("Sandbox", "HTTP"))
        #expect(!Self.mayImport("Loading", "Reconciling") && !Self.mayImport("Payments", "JSON"))
        #expect(!Self.mayImport("Loading", "CZstd") && !Self.mayImport("Payments", "Glibc"))
        #expect(!Self.mayImport("JSON", "SomethingElse"))
        let text = "import A\npackage import B\n@testable import C\n// import D\nimport struct E.F\n"
        #expect(try Self.imports(text) == ["A", "B", "C", "E"])
    }
}
