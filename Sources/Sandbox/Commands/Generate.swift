import Compression

/// `tieout-sandbox generate`: writes a world's files.
package enum Generate {
    package static let options = ["seed", "transactions", "days", "nights", "output", "port"]
    /// Where the server listens unless told otherwise.
    package static let usualPort = 18_443

    /// Returns what was written, in a line for people.
    package static func run(_ words: ArraySlice<String>) throws -> String {
        let arguments = try Arguments(words, known: options)
        let shape = try arguments.shape()
        let workspace = Workspace(directory: try arguments.required("output"))
        let world = World(shape)
        let secrets = Workspace.Secrets(seed: shape.seed)
        try workspace.write(shape)
        try workspace.write(secrets)
        let deliveries = Deliveries(world).all()
        for night in 1...shape.nights {
            try workspace.write("orders-night\(night).csv", OrderFile.csv(world, night: night))
            for (file, name) in ["capture-a.jsonl", "capture-b.jsonl.gz"].enumerated() {
                let part = deliveries.filter { $0.night == night && $0.file == file }
                let lines = Capture.lines(part, secret: secrets.webhook, seed: shape.seed &+ UInt64(night))
                let bytes = file == 0 ? lines : Gzip.compress(lines)
                try workspace.write("webhooks-night\(night)/\(name)", bytes)
            }
        }
        try workspace.write("truth.json", TruthFile.json(world))
        let port: Int = try arguments.number("port", in: 1...65_535) ?? usualPort
        try workspace.writeConfiguration(port: port)
        return """
            \(world.trades.count) transactions, \(world.orders.count) orders, \(deliveries.count) deliveries, \
            \(world.planted.count) planted breaks, \(shape.nights) nights in \(workspace.directory)
            """
    }
}
