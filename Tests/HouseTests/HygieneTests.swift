import Foundation
import TestSupport
import Testing

/// The project speaks of itself alone: no secret, no machine's path, nobody's tools.
@Suite("Hygiene")
struct HygieneTests {
    /// Files that name a folder of every machine.
    static let temporaryFolders: Exceptions = [
        "Scripts/with-postgres": "a socket's path must be short",
        "Scripts/bench": "the same",
        "Sources/Postgres/Cluster/ClusterLayout.swift": "the same",
        "Sources/Postgres/Cluster/ClusterServer.swift": "the same",
        "Tests/JobRunnerTests/Locking/Pooler.swift": "a socket's path is short",
        "Tests/PostgresTests/EmbeddedClusterTests.swift": "tests that",
        "Tests/SandboxTests/ServerTests.swift": "a path that is refused before it is used",
    ]

    /// Hosts that may be named: this machine's, the providers', names that nobody can own, and the compiler's home.
    static let hosts = [
        #"localhost"#, #"127\.0\.0\.1"#, #"(?:[\w-]+\.)*example(?:\.(?:com|org|net))?"#, #"[\w-]+\.(?:test|invalid)"#,
        #"(?:api|api-sb|example)\.meld\.io"#, #"www\.swift\.org"#, #"host"#, #"user"#, #"one"#, #"two"#,
        // The providers' own, and the explorer that one of them links to.
        #"(?:[\w-]+\.)+(?:mercuryo\.io|mrcr\.io|banxa\.com|banxa-sandbox\.com|pushcash\.com|dlocal\.com|stripe\.com)"#,
        #"(?:[\w-]+\.)+coinbase\.com"#, #"etherscan\.io"#,
    ]

    /// Patterns of what stands nowhere, cut in two where this file would hold them itself.
    static let refused: [(what: String, pattern: String)] = [
        ("a folder of one machine", #"(?:^|[\s"'`=(:])/(?:wo"# + #"rk|home|Users|root|mnt)/[\w.]"#),
        (
            "who or what wrote it",
            #"(?i)\b(?:assis"# + #"tant|chat"# + #"bot|co"# + #"pilot|sub-?ag"# + #"ent|session help"#
                + #"er|language mo"# + #"del)s?\b"#
        ),
        (
            "a number of some tracker",
            #"(?i)\b(?:iss"# + #"ue|tick"# + #"et|pull req"# + #"uest|merge req"# + #"uest)s? #?\d+"#
        ),
        ("a private key", #"-----BEGIN [A-Z ]*PRIV"# + #"ATE KEY"#),
        ("a key", #"\b(?:AKIA[0-9A-Z]{16}|[sr]k_live_\w{8,}|gh[pousr]_\w{20,}|xox[abp]-\w{8,}|eyJ[\w-]{20,}\.[\w-]+)"#),
        (
            "a secret",
            #"(?i)(?:api_?-?key|secret|password|token)["']?\s*[:=]\s*["'](?=[^"']*[0-9])(?=[^"']*[A-Za-z])[A-Za-z0-9+/_=-]{20,}["']"#
        ),
    ]

    /// Made-up keys in tests, by file and text.
    static let madeUp: [String: [String]] = [
        // A token that RFC 7515 shows.
        "Tests/CryptoTests/SigningKeyTests.swift": ["eyJpc3MiOiJqb2UiLA0KICJleHAi"],
        "Tests/ProvidersTests/CoinbaseWebhookTests.swift": ["123e4567-e89b-12d3-a456-426614174000"],
        "Tests/ProvidersTests/MeldTests.swift": ["42m4NMLS34WQ6BbMfo1KFKqMv4hy"],
        "Tests/ProvidersTests/StripeTests.swift": ["cos_1RfA0001ExampleAAAA_secret_x"],
    ]

    static func found(_ text: String) throws -> [String] {
        try refused.flatMap { refused in try House.matches(refused.pattern, in: text).map { "\(refused.what): \($0)" } }
    }

    @Test("no file holds a secret, a path of one machine, or a word about who wrote it")
    func files() throws {
        #expect(House.files.count > 300)
        for file in House.files {
            guard let text = try? House.text(file) else { continue }
            let found = try Self.found(text).filter { found in
                !(Self.madeUp[file] ?? []).contains { found.contains($0) }
            }
            #expect(found.isEmpty, "\(file) has \(found)")
        }
    }

    @Test("temporary folders are asked for, not named, but where a path must be short")
    func temporary() throws {
        var found: Set<String> = []
        for file in House.files where !file.hasPrefix("Tests/HouseTests/") {
            guard let text = try? House.text(file) else { continue }
            if text.contains("/tmp" + "/") { found.insert(file) }
        }
        #expect(found == Set(Self.temporaryFolders.keys))
    }

    @Test("every host that is named is one that may be")
    func namedHosts() throws {
        let allowed = #"\A(?:"# + Self.hosts.joined(separator: "|") + #")\z"#
        #expect(try House.matches(allowed, in: "registry.packages.example.io").isEmpty)
        for file in House.files {
            guard let text = try? House.text(file) else { continue }
            for host in try House.matches(#"https?://([A-Za-z0-9][\w.-]*)"#, in: text) {
                #expect(try !House.matches(allowed, in: host).isEmpty, "\(file) names \(host)")
            }
        }
    }

    @Test("every script is runnable, stops at the first error, and parses")
    func scripts() throws {
        var count = 0
        for file in House.files {
            guard let text = try? House.text(file), let first = House.lines(text).first, first.hasPrefix("#!") else {
                continue
            }
            let path = Checkout.root + "/" + file
            if !first.hasSuffix("bash") { continue }
            count += 1
            #expect(text.contains("set -euo pipefail"), "\(file) does not stop at the first error")
            if !file.hasPrefix("Tests/") {
                #expect(FileManager.default.isExecutableFile(atPath: path), "\(file) is not executable")
            }
            let bash = Process()
            bash.executableURL = URL(fileURLWithPath: "/bin/bash")
            bash.arguments = ["-n", path]
            bash.standardError = FileHandle.nullDevice
            try bash.run()
            bash.waitUntilExit()
            #expect(bash.terminationStatus == 0, "\(file) does not parse")
        }
        #expect(count >= 5)
    }

    @Test(
        "the searches find what they are for",
        arguments: [
            "see /wo" + "rk/a.txt", "written by an assis" + "tant", "fixes iss" + "ue #12",
            "-----BEGIN RSA PRIV" + "ATE KEY-----",
            "AKIA" + "ABCDEFGHIJKLMNOP", "api_key: \"abcdefgh12345678ijkl" + "mnop\"", "cd '/ho" + "me/someone'",
        ])
    func searches(text: String) throws {
        #expect(try !Self.found(text).isEmpty)
    }

    @Test(
        "what is harmless is left alone",
        arguments: [
            "this works/does not", "api_key: {file: \"secrets/api-key\"}", "session token", "tickets of one customer",
            "/etc/tieout/",
        ])
    func quiet(text: String) throws {
        #expect(try Self.found(text).isEmpty)
    }
}
