import Foundation
import JSON
import Loading
import Payments
import Postgres
import Providers

/// What one account's part of a job would do.
struct AccountPlan {
    struct File {
        let feed: String
        let path: String
        let size: Int
        let isKnown: Bool
    }

    struct Source {
        let name: String
        let provider: String
        let life: String
        var notes: [String] = []
        var walks: [PollForecast.Walk] = []
        var singleReads = 0
        var requests: Int?
        var requestsPerMinute = 1

        var describeRequests: String? {
            if walks.isEmpty && singleReads == 0 { return nil }
            guard let requests else { return "unknown (a first walk), at most \(requestsPerMinute) a minute" }
            let minutes = (requests + requestsPerMinute - 1) / requestsPerMinute
            return
                "about \(requests), \(singleReads) of them single reads; \(minutes) min at \(requestsPerMinute) a minute"
        }
    }

    struct Result {
        let name: String
        var period = ""
        var refusals: [String] = []
        var status = ExitStatus.done
        var files: [File] = []
        var sources: [Source] = []
        var report: String?
    }

    let workspace: Workspace
    let job: JobDefinition
    let account: AccountConfiguration
    let sources: SourceSet
    let inputs: JobSession.Inputs?
    let clock: LedgerClock

    /// `connection` nil: the database cannot be looked into yet.
    func make(on connection: Connection?) throws -> Result {
        var result = Result(name: account.name)
        let calendar = try BusinessCalendar(zone: account.zone, cutOffSeconds: Int(account.cutOffSeconds))
        var period = try RunPeriod.of(
            clock.now(), days: job.periodDays, calendar: calendar, previousStart: nil,
            settleLag: account.settleLag)
        var run: Int64?
        if let connection {
            try connection.transaction(.repeatableRead, readOnly: true) { connection in
                try standing(&result, on: connection)
                let next = try connection.query(
                    "select coalesce(max(run_id), 0) + 1 as run_id from tieout.run where account_id = $1",
                    [.int(account.id)]
                ).only().int("run_id")
                run = next
                period = try RunPeriod.of(
                    clock.now(), days: job.periodDays, calendar: calendar,
                    previousStart: try RunPeriod.previousStart(
                        account: account.id, job: job.name, before: next, on: connection),
                    settleLag: account.settleLag)
                if job.steps.contains(.load) { result.files = try files(on: connection) }
                try plan(&result, on: connection)
            }
        } else if job.steps.contains(.poll) {
            result.sources = try chosen().map { source in
                var draft = self.draft(source)
                if source.configuration.life != .retired {
                    draft.notes.append("its windows are known once the database is up and migrated")
                }
                return draft
            }
        }
        let days = calendar.days(in: period)
        result.period = [days.first, days.last].compactMap(\.self).reduce(into: []) { days, day in
            if days.last != day { days.append(day) }
        }.joined(separator: " to ")
        if job.steps.contains(.report) {
            let output = try workspace.arguments.value("output") ?? workspace.configuration().reports
            let day = calendar.day(of: clock.now())
            result.report = "\(output)/\(account.name)/\(job.name)/\(day)/\(run.map { String($0) } ?? "RUN")"
        }
        return result
    }

    /// Lock, ledger time and name: what would make the job refuse.
    private func standing(_ result: inout Result, on connection: Connection) throws {
        let lock = try connection.query(
            "select holder::text as holder, concat_ws(', process ', holder->>'host', holder->>'pid') as place, expires_at > statement_timestamp() as is_held from tieout.job_lock where account_id = $1",
            [.int(account.id)]
        ).first
        if let lock, try lock.bool("is_held") {
            let isDead = LockHolder(json: try lock.text("holder"))?.isDead(seenFrom: .current()) ?? false
            if !isDead {
                result.refusals.append("another run holds the lock (\(try lock.text("place")))")
                result.status = max(result.status, .tryLater)
            }
        }
        let known = try connection.query(
            "select name, last_ledger_time from tieout.account where account_id = $1", [.int(account.id)]
        ).first
        guard let known else { return }
        if let last = try known.optionalTimestamp("last_ledger_time"), clock.now() <= last {
            result.refusals.append("ledger time \(clock.now()) is not after \(last), the last that the account saw")
            result.status = max(result.status, .usage)
        }
        if try known.text("name") != account.name {
            result.refusals.append("account id \(account.id) is '\(try known.text("name"))' in the database")
            result.status = max(result.status, .usage)
        }
    }

    private func files(on connection: Connection) throws -> [File] {
        let orders = try FileForecast.all(
            (inputs?.orders ?? account.orders).flatMap(LoadStep.bookFiles), feed: .book, account: account.id,
            on: connection)
        let captures = try FileForecast.all(
            FileForecast.captures(inputs?.webhooks ?? account.webhooks), feed: .webhook, account: account.id,
            on: connection)
        let settled = try LoadStep.settlements(account, inputs?.settlements, workspace.arguments).flatMap { input in
            try FileForecast.all(
                [input.path], feed: .settlement, source: input.options.source, account: account.id, on: connection)
        }
        return [("orders", orders), ("webhooks", captures), ("settlements", settled)].flatMap { feed, found in
            found.map { File(feed: feed, path: $0.path, size: $0.size, isKnown: $0.isKnown) }
        }
    }

    private func chosen() throws -> [PreparedSource] {
        try sources.named(job.steps == [.load] ? nil : try workspace.arguments.value("source"))
    }

    private func draft(_ source: PreparedSource) -> Source {
        var draft = Source(
            name: source.name, provider: source.configuration.provider, life: source.configuration.life.rawValue)
        draft.requestsPerMinute = source.requestsPerMinute
        if source.configuration.life == .retired { draft.notes.append("retired: not polled") }
        return draft
    }

    private func plan(_ result: inout Result, on connection: Connection) throws {
        let sql = try workspace.sql()
        let context = LoadContext(
            account: account.id, run: 0, clock: clock, fence: Fence(account: account.id, number: nil), sql: sql,
            log: { _ in })
        for source in try chosen() {
            var draft = self.draft(source)
            if try source.isBehind(on: connection, account: account.id, sql: sql) {
                draft.notes.append("its status map or mapping has changed: kept bytes would be read again")
            }
            if job.steps.contains(.poll), source.configuration.life != .retired {
                let behind = try WebhookHistoryLoader.idsBehind(
                    connection, account: account.id, source: source.name, sql: sql,
                    unsignedCounts: source.configuration.unsignedCounts,
                    lookBack: source.configuration.lookBackSeconds)
                let gone = try VanishedRows(context, connection, source: source.name).gone(of: source.readByID)
                let forecast = try PollForecast(
                    source.handle, context: context, on: connection, rereads: behind + gone)
                draft.walks = forecast.walks
                draft.singleReads = forecast.singleReads
                draft.requests = forecast.requests
                if let moment = forecast.notBefore, clock.now() < moment {
                    draft.notes.append("the provider asked for nothing before \(moment.wholeSeconds)")
                }
            }
            result.sources.append(draft)
        }
    }
}

extension PreparedSource {
    /// Its records carry another reading than the present one.
    func isBehind(on connection: Connection, account: Int64, sql: SQLLibrary) throws -> Bool {
        for (kind, _) in decodedKinds {
            let state = try DecodingState(on: connection, account: account, sql: sql, source: name, kind: kind)
            if state.isBehind(reading) { return true }
        }
        return false
    }
}

extension PollForecast.Walk {
    /// `2026-06-01T00:00:00Z to now, 120 rows held`
    var describe: String {
        var text = "\(from?.wholeSeconds ?? "the beginning") to \(to?.wholeSeconds ?? "now")"
        if let rows { text += ", \(rows) rows held" }
        return isResumed ? text + ", goes on where it stood" : text
    }
}

extension AccountPlan.Result {
    func write(_ writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("account", name)
            writer.member("period", period)
            writer.member("refusals", strings: refusals)
            writer.member("report", report)
            writer.key("files")
            writer.array { writer in
                for file in files {
                    writer.object { writer in
                        writer.member("feed", file.feed)
                        writer.member("path", file.path)
                        writer.member("bytes", integer: file.size)
                        writer.member("is_known", bool: file.isKnown)
                    }
                }
            }
            writer.key("sources")
            writer.array { writer in
                for source in sources {
                    writer.object { writer in
                        writer.member("source", source.name)
                        writer.member("provider", source.provider)
                        writer.member("life", source.life)
                        writer.member("notes", strings: source.notes)
                        writer.member("single_reads", integer: source.singleReads)
                        writer.key("requests")
                        if let requests = source.requests { writer.integer(requests) } else { writer.null() }
                        writer.member("requests_per_minute", integer: source.requestsPerMinute)
                        writer.key("windows")
                        writer.array { writer in
                            for walk in source.walks {
                                writer.object { writer in
                                    writer.member("walk", walk.name)
                                    writer.member("from", walk.from?.description)
                                    writer.member("to", walk.to?.description)
                                    writer.member("is_resumed", bool: walk.isResumed)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
