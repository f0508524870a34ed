import Foundation
import HTTP
import Synchronization

/// The misbehaving HTTPS server of `Fixtures/server.py` with certificates made for this process. One for all tests;
/// it ends when this process does, because its standard input does.
final class TestServer: Sendable {
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    let directory: String
    private let ports: [String: Int]
    private let process: Mutex<Process>
    private let input: Pipe

    private static let shared = Result { try TestServer() }

    /// The running server, or a clear error where python3 or openssl is missing.
    static func get() throws -> TestServer { try shared.get() }

    private init() throws {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures").path
        directory = NSTemporaryDirectory() + "tieout-http-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let certificates = try Self.start(["sh", "\(fixtures)/certificates.sh", directory], input: Pipe())
        let log = certificates.output.readDataToEndOfFile()
        certificates.process.waitUntilExit()
        guard certificates.process.terminationStatus == 0 else {
            throw Unavailable(
                description: "openssl made no certificates: \(String(decoding: log.suffix(400), as: UTF8.self))")
        }
        input = Pipe()
        let server = try Self.start(["python3", "\(fixtures)/server.py", directory], input: input)
        var line = ""
        while !line.hasSuffix("\n"), let byte = try server.output.read(upToCount: 1), !byte.isEmpty {
            line += String(decoding: byte, as: UTF8.self)
        }
        var ports: [String: Int] = [:]
        for pair in line.split(whereSeparator: \.isWhitespace) {
            let parts = pair.split(separator: "=")
            if parts.count == 2 { ports[String(parts[0])] = Int(parts[1]) }
        }
        guard ports["good"] != nil else { throw Unavailable(description: "python3 did not start the test server") }
        self.ports = ports
        process = Mutex(server.process)
    }

    private static func start(_ command: [String], input: Pipe) throws -> (process: Process, output: FileHandle) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return (process, output.fileHandleForReading)
    }

    func url(_ path: String, port: String = "good", host: String = "127.0.0.1") -> String {
        "\(port == "plain" ? "http" : "https")://\(host):\(ports[port] ?? 0)\(path)"
    }

    /// A client that trusts this server's authority, with short time-outs.
    func client(_ change: (inout HTTPConfiguration) -> Void = { _ in }) throws -> HTTPClient {
        var configuration = HTTPConfiguration()
        configuration.caFile = directory + "/ca.pem"
        configuration.connectTimeout = .seconds(5)
        configuration.totalTimeout = .seconds(20)
        change(&configuration)
        return try HTTPClient(configuration)
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body.bytes, as: UTF8.self) }
}

/// The error of `body`; nil where it threw none.
func failure<T>(_ body: () async throws(HTTPError) -> T) async -> HTTPError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
