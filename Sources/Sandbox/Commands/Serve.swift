import Glibc
import Payments

/// `tieout-sandbox serve`: the providers' APIs on loopback ports until SIGTERM or SIGINT.
package enum Serve {
    package static let options = [
        "seed", "transactions", "days", "nights", "providers", "beneath", "switch", "port", "directory", "port-file",
        "now",
        "misbehave", "pace", "answers",
    ]

    /// Calls `ready` once with a line for people when requests are answered; returns when told to end.
    package static func run(_ words: ArraySlice<String>, ready: (String) -> Void) throws {
        let arguments = try Arguments(words, known: options)
        let workspace = Workspace(directory: try arguments.required("directory"))
        let before = workspace.plan()
        let plan = try arguments.plan(before: before)
        let shape = plan.shape
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

        let control = Workspace.Secrets(seed: shape.seed)
        if before == nil { try workspace.write(plan) }
        try workspace.write(control)
        let world = plan.world
        let clock = SandboxClock(now)
        let certificates = try Certificates(directory: workspace.directory)
        let port: Int = try arguments.number("port", in: 0...65_000) ?? Generate.usualPort
        let pace: Int = try arguments.number("pace", in: 0...10_000) ?? 0
        var servers: [HTTPServer] = []
        for (place, source) in world.sources.enumerated() {
            guard
                let api = SimulatedAPI(
                    world: world, source: source.name, controlToken: control.control, clock: clock,
                    misbehaviour: misbehaviour, keepsRows: answers == "kept")
            else { continue }
            try workspace.writeSecrets(of: api.provider)
            servers.append(
                try HTTPServer(
                    api: api, certificates: certificates, port: port == 0 ? 0 : port + place, pace: pace,
                    compresses: answers == "fresh"))
        }
        let ports = servers.map(\.port)
        try workspace.writeConfiguration(world, ports: ports)
        if let file = arguments["port-file"] {
            // The first source's port stands alone on the first line; every source's stands behind, with its name.
            var lines = ports.first.map { ["\($0)"] } ?? []
            if ports.count > 1 { lines += zip(world.sources, ports).map { "\($0.name) \($1)" } }
            try Workspace(directory: ".").write(absolute: file, Array((lines.joined(separator: "\n") + "\n").utf8))
        }
        let places = zip(world.sources, ports).map { "\($0.provider) on https://localhost:\($1)" }
        ready("ready: \(places.joined(separator: ", ")); simulated time \(now)")
        var received: Int32 = 0
        sigwait(&signals, &received)
        for server in servers { server.stop() }
    }
}
