import Testing

/// What the formatter and the compiler do not refuse.
@Suite("Sources")
struct SourceTests {
    static let longest = 400
    static let longFiles: Exceptions = [:]

    /// Files that may ask a machine for the time; everything else is handed a clock.
    static let clocks: Exceptions = [
        "Sources/HTTP/MachineClock.swift": "the one clock of back-off, time-outs and rate budgets",
        "Sources/Sandbox/Server/WireClock.swift": "what a simulated server writes into Date and Retry-After",
        "Sources/tieout/Signals.swift": "the machine's time, handed to everything below the command line",
    ]
    static let clockPattern =
        #"\b(?:Date\(\)|Date\.now|Date\(timeIntervalSinceNow|(?:Continuous|Suspending)Clock(?:\.now|\(\))|clock_gettime|gettimeofday|time\(nil\)|DispatchTime|Task\.sleep)"#

    /// Words that stand nowhere in the sources, and what is done instead.
    static let refused: [(pattern: String, instead: String)] = [
        (
            #"\b(?:public|open)\s+(?:final|static|init|let|var|func|struct|class|enum|protocol|actor|extension|import|typealias|subscript)\b"#,
            "`package`: there is no outside user"
        ),
        (#"\btry!"#, "a typed error"),
        (#"\bas!"#, "`as?`"),
        (#"\bunsafelyUnwrapped\b"#, "`guard let`"),
        (#"[\w\)\]](?<!\btry|\bas)!(?=[\.\[\),\s])(?!\s*=)"#, "`guard let`"),
        (#"catch\s*\{\s*\}"#, "an error that is handled or thrown on"),
    ]

    static func found(_ pattern: String, in text: String) throws -> [String] {
        try House.matches(pattern, in: withoutStrings(House.code(text, comment: "//")))
    }

    /// Text between double quotes is no code (interpolations go with it: they hold names only).
    static func withoutStrings(_ text: String) -> String {
        text.replacing(#/"(?:\\.|[^"\\\n])*"/#, with: "\"\"")
    }

    @Test("no source says public, try! or as!, unwraps by force, or catches and does nothing")
    func refusedWords() throws {
        for file in House.files(under: "Sources", ".swift") {
            let text = try House.text(file)
            for (pattern, instead) in Self.refused {
                let found = try Self.found(pattern, in: text)
                #expect(found.isEmpty, "\(file) has \(found); use \(instead)")
            }
        }
    }

    @Test("no file is longer than 400 lines without a reason")
    func lengths() throws {
        var long: Set<String> = []
        for file in House.files(under: "", ".swift", ".sql", ".cpp", ".h", ".hpp", ".py", ".sh", ".json5", ".css") {
            let count = House.lines(try House.text(file)).count - 1
            if count > Self.longest { long.insert(file) }
        }
        #expect(long == Set(Self.longFiles.keys))
    }

    @Test("nobody asks a machine for the time but the clocks that are injected")
    func clockReads() throws {
        var readers: Set<String> = []
        for file in House.files(under: "Sources", ".swift") {
            if try !Self.found(Self.clockPattern, in: House.text(file)).isEmpty { readers.insert(file) }
        }
        #expect(readers == Set(Self.clocks.keys))
    }

    @Test("tests ask for today's date nowhere")
    func testsNeedNoToday() throws {
        for file in House.files(under: "Tests", ".swift") where !file.hasPrefix("Tests/HouseTests/") {
            let found = try Self.found(#"\b(?:Date\(\)|Date\.now|Date\(timeIntervalSinceNow)"#, in: House.text(file))
            #expect(found.isEmpty, "\(file) has \(found)")
        }
    }

    @Test("the formatter's settings are there: 120 columns, no force")
    func format() throws {
        let text = try House.text(".swift-format")
        for rule in ["NeverForceUnwrap", "NeverUseForceTry", "NeverUseImplicitlyUnwrappedOptionals"] {
            #expect(text.contains("\"\(rule)\": true"))
        }
        #expect(text.contains("\"lineLength\": 120"))
    }

    @Test(
        "the searches find what they are for",
        arguments: [
            ("public struct A {}", 0), ("open class B {}", 0), ("x = try! f()", 1), ("y as! Int", 2),
            ("a.unsafelyUnwrapped", 3), ("f(a!)", 4), ("b!.c", 4), ("do { } catch { }", 5),
        ])
    func searches(code: String, index: Int) throws {
        for (position, refused) in Self.refused.enumerated() {
            let found = try Self.found(refused.pattern, in: code)
            #expect(found.isEmpty == (position != index), "\(refused.pattern) in \(code)")
        }
    }

    @Test("comments, texts and negations are left alone")
    func quiet() throws {
        let quiet = ["// try! this", "let a = \"public struct\"", "if !a.b { }", "a != b", "x = f(a) // b!"]
        for code in quiet {
            for refused in Self.refused { #expect(try Self.found(refused.pattern, in: code).isEmpty, "\(code)") }
            #expect(try Self.found(Self.clockPattern, in: code).isEmpty)
        }
        for code in ["let a = Date()", "ContinuousClock.now", "clock_gettime(a, b)", "await Task.sleep(for: d)"] {
            #expect(try !Self.found(Self.clockPattern, in: code).isEmpty, "\(code)")
        }
        #expect(try Self.found(Self.clockPattern, in: "clock.now()").isEmpty)
    }
}
