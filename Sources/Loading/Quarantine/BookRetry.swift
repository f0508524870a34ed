import Payments
package import Postgres

/// Tries quarantined records of book files again. A record is typed by the database together with its file, so the file
/// is read whole, as of the moment at which it was first loaded: what it brought then is met again and changes nothing.
package struct BookRetry {
    private let context: LoadContext
    private let connection: Connection

    package init(_ context: LoadContext, _ connection: Connection) {
        self.context = context
        self.connection = connection
    }

    /// `paths`: the files that may be meant. `options`: how the files are to be read; their export moment is looked up.
    /// Throws `LoadFault`, `PostgresError` or `Fence.Lost`.
    package func run(
        _ entries: [QuarantineList.Entry], paths: [String], options: BookOptions, stop: StopFlag
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
                var own = options
                own.exportedAt = moment
                // The moment stands for the load too: coverage stays as it was.
                own.coversUntil = nil
                _ = try BookLoader(context, connection).load(path: path, options: own, again: true)
            }
            if isKnown { continue }
            let why =
                places.files(named: name).isEmpty
                ? "the file \(name) is not among the inputs"
                : "the file \(name) has changed since; load it by `tieout load orders`"
            for entry in lines.values.joined() { outcome.reasons[entry.id] = why }
        }
        return outcome
    }

    /// Nil where these bytes were never loaded.
    private func moment(of file: InputFile) throws -> Timestamp? {
        guard try LoadedFiles.knows(file, feed: .book, account: context.account, on: connection) else { return nil }
        return try connection.query(
            try context.sql.text("SQL/loading/quarantine/file_moment.sql"),
            [.int(context.account), .bytes(file.digest)]
        ).only().optionalTimestamp("moment")
    }
}
