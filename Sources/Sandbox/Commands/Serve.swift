import Glibc
import Payments

/// `tieout-sandbox serve`: the provider's API on a loopback port until SIGTERM or SIGINT.
package enum Serve {
    package static let options = [
        "seed", "transactions", "days", "nights", "port", "directory", "port-file", "now", "misbehave",
        "pace", "answers",
    ]

    /// Calls `ready` once with a line for people when requests are answered; returns when told to end.
    package static func run(_ words: ArraySlice<String>, ready: (String) -> Void) throws {
        let arguments = try Arguments(words, known: options)
        let workspace = Workspace(directory: try arguments.required("directory"))
        let shape = try arguments.shape(before: workspace.shape())
        let misbehaviour = try Misbehaviour(arguments["misbehave"] ?? "")
        var now = shape.night(1)
        if let text = arguments["now"] {
            guard let moment = Timestamp(text) else { throw UsageError("--now must be a moment such as \(now)") }
            now = moment
        }
        // For benchmarks: what a page costs here must not hide what it costs the one who reads it.
        let answers = arguments["answers"] ?? "fresh"
        guard ["fresh", "kept"].contains(answers) else { throw UsageError("--answers must be fresh or kept") }
        // Every thread started from here on inherits the mask: the signals wait for the one that asks for them.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)

        let secrets = Workspace.Secrets(seed: shape.seed)
        if workspace.shape() == nil { try workspace.write(shape) }
        try workspace.write(secrets)
        let api = SimulatedAPI(
            world: World(shape), apiKey: secrets.apiKey, controlToken: secrets.control, now: now,
            misbehaviour: misbehaviour, keepsRows: answers == "kept")
        let certificates = try Certificates(directory: workspace.directory)
        let port: Int = try arguments.number("port", in: 0...65_535) ?? Generate.usualPort
        let server = try HTTPServer(
            api: api, certificates: certificates, port: port, pace: try arguments.number("pace", in: 0...10_000) ?? 0,
            compresses: answers == "fresh")
        try workspace.writeConfiguration(port: server.port)
        if let file = arguments["port-file"] {
            let place = Workspace(directory: ".")
            try place.write(absolute: file, Array("\(server.port)\n".utf8))
        }
        ready("ready on https://localhost:\(server.port), simulated time \(now)")
        var received: Int32 = 0
        sigwait(&signals, &received)
        server.stop()
    }
}
