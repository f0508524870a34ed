package import Payments
package import Postgres

/// Tries quarantined records of book and settlement files again. A record is typed by the database together with its file,
/// so the file is read whole, as of the moment at which it was first loaded: what it brought then is met again and changes
/// nothing.
package struct FileRetry {
    private let context: LoadContext
    private let connection: Connection
    private let feed: Feed
    private let source: String?

    /// `source`: whose files are meant; nil where files name sources row by row.
    package init(_ context: LoadContext, _ connection: Connection, feed: Feed, source: String? = nil) {
        self.context = context
        self.connection = connection
        self.feed = feed
        self.source = source
    }

    /// `paths`: the files that may be meant. `load` reads one of them again, as of a moment. Throws what `load` throws,
    /// `LoadFault` or `PostgresError`.
    package func run(
        _ entries: [QuarantineList.Entry], paths: [String], stop: StopFlag,
        load: (_ path: String, _ moment: Timestamp) throws -> Void
    ) throws -> RetryOutcome {
        let places = FilePlaces(paths)
        var outcome = RetryOutcome()
        for (name, lines) in FilePlaces.byFile(entries, &outcome) {
            var isKnown = false
            for path in places.files(named: name) {
                if stop.isRequested {
                    outcome.isInterrupted = true
                    return outcome
                }
                let file = try InputFile(path: path)
                guard let moment = try moment(of: file) else { continue }
                isKnown = true
                try load(path, moment)
            }
            if isKnown { continue }
            let what = feed == .book ? "orders" : "settlements"
            let why =
                places.files(named: name).isEmpty
                ? "the file \(name) is not among the inputs"
                : "the file \(name) has changed since; load it by `tieout load \(what)`"
            for entry in lines.values.joined() { outcome.reasons[entry.id] = why }
        }
        return outcome
    }

    /// Nil where these bytes were never loaded, for the source.
    private func moment(of file: InputFile) throws -> Timestamp? {
        guard
            try LoadedFiles.knows(file, feed: feed, account: context.account, source: source, on: connection)
        else { return nil }
        return try connection.query(
            try context.sql.text("SQL/loading/quarantine/\(feed.rawValue)_file_moment.sql"),
            [.int(context.account), .bytes(file.digest)] + (source.map { [.text($0)] } ?? [])
        ).only().optionalTimestamp("moment")
    }
}
