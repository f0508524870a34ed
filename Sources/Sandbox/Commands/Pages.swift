import Payments

/// `tieout-sandbox pages`: the requests of one walk over the whole list, a path a line, so that anything that fetches can
/// be measured against a walk without reading the pages.
package enum Pages {
    package static func run(_ words: ArraySlice<String>, say: (String) -> Void) throws {
        let arguments = try Arguments(words, known: ["directory", "now", "limit"])
        guard let shape = Workspace(directory: try arguments.required("directory")).shape() else {
            throw UsageError("--directory holds no world")
        }
        let text = try arguments.required("now")
        guard let now = Timestamp(text) else { throw UsageError("--now must be a moment such as \(shape.night(1))") }
        let limit: Int = try arguments.number("limit", in: 1...100) ?? 100
        let source = World(shape).sources[0]
        let listing = Listing(source.simulator.init(source))
        let rows = listing.rows(Item.transactions, ListAsk.Filter(), at: now)
        let items = listing.items(Item.transactions)
        let path = "/payments/transactions?limit=\(limit)"
        say(path)
        for last in stride(from: limit - 1, to: rows.count, by: limit) {
            say("\(path)&after=\(listing.key(of: items[rows[last]]))")
        }
    }
}
