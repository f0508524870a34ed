import Crypto
import Payments
package import Postgres

/// Publishes one run: CSV files streamed from the server, HTML pages, summary and manifest, all from one snapshot of the
/// database, and all at once. Breaks are shown as the audit trail had them when the run's own last event was written;
/// facts as they were known at the run's `as_of`.
package struct Publisher {
    private let connection: Connection
    private let options: PublishOptions
    private let root: String

    /// `root` is the folder that holds `Reports` and `SQL`.
    package init(connection: Connection, options: PublishOptions, root: String) {
        self.connection = connection
        self.options = options
        self.root = root
    }

    /// Makes the files and puts them in place. Throws `ReportingError` or `PostgresError`; then nothing is visible.
    package func publish() throws -> PublishedReport {
        var queries = QueryText(
            library: SQLLibrary(root: root), values: ["account": .int(options.account), "run": .int(options.run)])
        try keepFeeds(queries)
        return try connection.transaction(.repeatableRead) { connection in
            let snapshot = try Snapshot(connection, &queries, options)
            return try write(snapshot, queries)
        }
    }

    private func write(_ snapshot: Snapshot, _ queries: QueryText) throws -> PublishedReport {
        let run = snapshot.run
        let directory = try PublishDirectory(
            output: options.output, account: folderName(run.account, id: run.accountID),
            job: folderName((options.job ?? run.job) + (options.isWhole ? "-all" : ""), id: run.accountID))
        let folder = try directory.begin(run: run.run)
        var files: [PublishedFile] = []
        for report in try ReportDefinition.all(root: root) {
            files.append(try export(report, raw: false, queries, folder))
            if options.raw { files.append(try export(report, raw: true, queries, folder)) }
        }
        let overview = try Overview(connection, queries)
        let page = snapshot.page(connection, queries, overview, options)
        let pages = Pages(page: page, writer: try PageWriter(root: root), files: files.sorted { $0.name < $1.name })
        try pages.all { name, text in files.append(try put(text, name, folder)) }
        files.append(try put(jsonText(Summary(run, overview, page.amounts)), "summary.json", folder))
        files.sort { $0.name < $1.name }
        let manifest = try put(
            jsonText(
                Manifest(
                    run: run, versions: options.versions, head: snapshot.head, files: files,
                    definitions: snapshot.definitions)), "manifest.json", folder)
        let place = try directory.publish(day: run.businessDay, run: run.run)
        return PublishedReport(
            path: place.path, files: files, manifestDigest: manifest.sha256, wasPublished: place.wasPublished)
    }

    private func export(
        _ report: ReportDefinition, raw: Bool, _ queries: QueryText, _ folder: String
    ) throws -> PublishedFile {
        let name = raw ? report.file.replacing(".csv", with: ".raw.csv") : report.file
        let file = try ReportFile(name, in: folder)
        if options.bom { try file.write([0xEF, 0xBB, 0xBF]) }
        let statement = try CSVExport(report: report, raw: raw).statement(
            queries.literal("Reports/\(report.folder)/query.sql"), quote: connection.quoteIdentifier)
        let rows = try connection.copyOut(statement) { try file.write($0) }
        return try file.close(rows: rows)
    }

    private func put(_ text: String, _ name: String, _ folder: String) throws -> PublishedFile {
        let file = try ReportFile(name, in: folder)
        try file.write(text)
        return try file.close()
    }

    /// The run's own picture of its feeds, taken once. A reader's login may not write: then a newest run shows the
    /// feeds as they are, which is the same.
    private func keepFeeds(_ queries: QueryText) throws {
        do {
            let statement = try queries.literal("SQL/reporting/keep_feeds.sql")
            try connection.execute(statement)
        } catch let error as PostgresError where error.sqlState == "42501" || error.sqlState == "25006" {
            return
        }
    }
}
