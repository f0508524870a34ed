import Foundation
import Payments
import Testing

@testable import Sandbox

/// The real socket, asked by the `openssl` command: a client that shares nothing with ours.
@Suite(.serialized) struct ServerTests {
    private final class Running {
        let directory: String
        let server: HTTPServer

        init(fault: String? = nil) throws {
            directory = NSTemporaryDirectory() + "sandbox-\(ProcessInfo.processInfo.globallyUniqueString)"
            let api = SimulatedAPI(
                world: sampleWorld, apiKey: Secret("k:s"), controlToken: Secret("t"),
                misbehaviour: try Misbehaviour(fault ?? ""))
            server = try HTTPServer(api: api, certificates: try Certificates(directory: directory), port: 0)
        }

        deinit {
            server.stop()
            try? FileManager.default.removeItem(atPath: directory)
        }

        /// What comes back for one request on a connection of its own; empty where TLS refuses.
        func ask(_ path: String, headers: [String] = [], authority: String? = nil) throws -> String {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "openssl", "s_client", "-quiet", "-verify_return_error", "-verify_hostname", "localhost",
                "-CAfile", authority ?? Certificates.caFile(in: directory), "-connect", "localhost:\(server.port)",
            ]
            let input = Pipe()
            let output = Pipe()
            process.standardInput = input
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            let lines = ["GET \(path) HTTP/1.1", "Host: localhost", "Connection: close"] + headers
            try input.fileHandleForWriting.write(contentsOf: Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
            let answer = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: answer, as: UTF8.self)
        }
    }

    private let key = "Authorization: BASIC k:s"

    @Test("requests are answered over TLS that the written CA vouches for, on threads of their own")
    func answers() throws {
        let running = try Running()
        let good = try running.ask("/payments/transactions?limit=2", headers: [key, "Meld-Version: 2026-05-01"])
        #expect(good.hasPrefix("HTTP/1.1 200"))
        #expect(good.contains("Meld-Version: 2026-05-01"))
        #expect(good.contains(#""count":2"#))
        #expect(try running.ask("/payments/transactions").hasPrefix("HTTP/1.1 401"))
        #expect(try running.ask("/payments/transactions?limit=0", headers: [key]).hasPrefix("HTTP/1.1 400"))
    }

    @Test("a client that does not know the CA gets nothing")
    func stranger() throws {
        let running = try Running()
        let other = try Running()
        let authority = Certificates.caFile(in: other.directory)
        #expect(try running.ask("/payments/transactions", headers: [key], authority: authority).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: "\(running.directory)/tls/ca.key"))
    }

    @Test("bodies are compressed for those who ask, and plain for the others")
    func compression() throws {
        let running = try Running()
        let packed = try running.ask("/payments/transactions", headers: [key, "Accept-Encoding: gzip"])
        #expect(packed.contains("Content-Encoding: gzip"))
        #expect(!packed.contains("totalCount"))
        #expect(try running.ask("/payments/transactions", headers: [key]).contains("totalCount"))
    }

    @Test("a cut body announces more than it sends; the next request is whole")
    func cut() throws {
        let running = try Running(fault: "cut,429:after=2")
        let cut = try running.ask("/payments/transactions?limit=5", headers: [key])
        let whole = try running.ask("/payments/transactions?limit=5", headers: [key])
        let refused = try running.ask("/payments/transactions?limit=5", headers: [key])
        func length(_ answer: String) -> Int {
            answer.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }.flatMap {
                Int($0.dropFirst("Content-Length: ".count))
            } ?? 0
        }
        #expect(length(cut) == length(whole))
        #expect(cut.utf8.count < length(cut))
        #expect(whole.utf8.count > length(whole))
        #expect(refused.hasPrefix("HTTP/1.1 429"))
        #expect(refused.contains("Retry-After: 1"))
    }
}

@Suite struct WorkspaceTests {
    @Test("generate writes the same directory from the same seed, secrets for their owner alone")
    func generate() throws {
        let base = NSTemporaryDirectory() + "generated-\(ProcessInfo.processInfo.globallyUniqueString)"
        defer { try? FileManager.default.removeItem(atPath: base) }
        for name in ["a", "b"] {
            _ = try Generate.run(["--seed", "5", "--transactions", "150", "--output", "\(base)/\(name)"])
        }
        let files = try FileManager.default.subpathsOfDirectory(atPath: "\(base)/a").sorted()
        #expect(files.contains("webhooks-night1/mercuryo-sandbox-a.jsonl"))
        #expect(files.contains("secrets/mercuryo-sandbox/api-key"))
        #expect(files.contains("webhooks-night3/capture-b.jsonl.gz"))
        for file in files {
            let one = FileManager.default.contents(atPath: "\(base)/a/\(file)")
            #expect(one == FileManager.default.contents(atPath: "\(base)/b/\(file)"), "\(file)")
        }
        for secret in ["api-key", "webhook-secret", "control-token"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(base)/a/secrets/\(secret)")
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
        let packed = try #require(FileManager.default.contents(atPath: "\(base)/a/webhooks-night1/capture-b.jsonl.gz"))
        #expect(packed.starts(with: [0x1F, 0x8B]))
        #expect(Workspace(directory: "\(base)/a").shape() == WorldShape(seed: 5, transactions: 150))
    }

    @Test(
        "a command line that says something unknown is refused",
        arguments: [
            ["generate", "--sed", "1"], ["generate", "--seed", "one", "--output", "/tmp/x"], ["serve"], ["fly"], [],
        ])
    func usage(words: [String]) { #expect(SandboxCommand.run(words) == 2) }
}
