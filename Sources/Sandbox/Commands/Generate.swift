import Compression
import Payments

/// `tieout-sandbox generate`: writes a world's files.
package enum Generate {
    package static let options = [
        "seed", "transactions", "days", "nights", "output", "port", "providers", "beneath", "switch",
    ]
    /// Where the server listens unless told otherwise: the first source here, the others on the ports behind it.
    package static let usualPort = 18_443

    /// Returns what was written, in a line for people.
    package static func run(_ words: ArraySlice<String>) throws -> String {
        let arguments = try Arguments(words, known: options)
        let plan = try arguments.plan()
        let shape = plan.shape
        let workspace = Workspace(directory: try arguments.required("output"))
        let world = plan.world
        try workspace.write(plan)
        try workspace.write(Workspace.Secrets(seed: shape.seed))
        var sent = 0
        for night in 1...shape.nights {
            try workspace.write("orders-night\(night).csv", OrderFile.csv(world, night: night))
        }
        for source in world.sources {
            let provider = source.simulator.init(source)
            try workspace.writeSecrets(of: provider)
            let deliveries = Deliveries(provider).all()
            sent += deliveries.count
            for night in 1...shape.nights {
                for (file, name) in captures(of: source).enumerated() {
                    let part = deliveries.filter { $0.night == night && $0.file == file }
                    let lines = Capture.lines(part, of: provider, seed: source.seed &+ UInt64(night))
                    let bytes = file == 0 ? lines : Gzip.compress(lines)
                    try workspace.write("webhooks-night\(night)/\(name)", bytes)
                }
                for (name, bytes) in provider.settlementFiles(night: night) {
                    try workspace.write("settlements-night\(night)/\(source.name)/\(name)", bytes)
                }
            }
        }
        try workspace.write("truth.json", TruthFile.json(world))
        let port: Int = try arguments.number("port", in: 1...65_000) ?? usualPort
        try workspace.writeConfiguration(world, ports: world.sources.indices.map { port + $0 })
        let names = world.sources.map(\.provider).joined(separator: ", ")
        return """
            \(world.sources.reduce(0) { $0 + $1.trades.count }) transactions, \(world.orders.count) orders, \(sent) \
            deliveries, \(world.planted.count) planted breaks, \(shape.nights) nights of \(names) in \(workspace.directory)
            """
    }

    /// A night's two capture files of a source: the second is compressed. Meld's have no name of their own.
    static func captures(of source: SimulatedSource) -> [String] {
        let stem = source.name == Names.source ? "capture" : source.name
        return ["\(stem)-a.jsonl", "\(stem)-b.jsonl.gz"]
    }
}
