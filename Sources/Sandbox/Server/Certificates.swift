import Foundation

/// The server's identity: a private CA and a certificate for loopback, made anew by the `openssl` command at every start.
/// The CA's key is thrown away at once; only its certificate stays, for the client.
package struct Certificates {
    package let caFile: String
    package let certificate: String
    package let key: String

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package static func caFile(in directory: String) -> String { "\(directory)/tls/ca.pem" }

    /// Makes both below `directory`/tls.
    package init(directory: String) throws {
        let folder = "\(directory)/tls"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try Data("subjectAltName=DNS:localhost,IP:127.0.0.1\n".utf8).write(
            to: URL(fileURLWithPath: "\(folder)/san.cnf"))
        try Self.openssl(
            ["req", "-x509"] + curve
                + [
                    "-keyout", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", "/CN=Tieout sandbox CA",
                    "-addext", "keyUsage=critical,keyCertSign",
                ], in: folder)
        try Self.openssl(
            ["req"] + curve + ["-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost"], in: folder)
        try Self.openssl(
            [
                "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-out", "server.pem", "-days", "30", "-extfile", "san.cnf",
            ], in: folder)
        certificate = try String(contentsOfFile: "\(folder)/server.pem", encoding: .utf8)
        key = try String(contentsOfFile: "\(folder)/server.key", encoding: .utf8)
        caFile = Self.caFile(in: directory)
        for name in ["ca.key", "ca.srl", "server.csr", "server.key", "server.pem", "san.cnf"] {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    private static func openssl(_ arguments: [String], in folder: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 {
            throw Failure(description: "openssl \(arguments[0]) ended with status \(process.terminationStatus)")
        }
    }
}
