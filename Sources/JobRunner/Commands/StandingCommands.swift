import Foundation
import Payments
import Postgres
import Providers

/// `tieout sources` and `tieout check`: where things stand, and what to do about it.
enum StandingCommands {
    static let commands = [
        Command("sources", "sources", "freshness of every feed", options: ["format", "json"]) { workspace, _ in
            try sources(workspace)
        },
        Command("check", "check", "configuration, database, credentials, data folders; says what to do") {
            workspace, _ in
            try await CheckCommand(workspace).run()
        },
    ]

    private static func sources(_ workspace: Workspace) throws -> ExitStatus {
        let sql = try workspace.sql().text("SQL/jobs/sources.sql")
        var table = TextTable(
            "account", "source", "provider", "environment", "life", "feed", "complete to", "last success",
            "failing since",
            "why", "backfill", "records", "late", "unproven", "unknown fields")
        let connection = try workspace.connection()
        for account in try workspace.accounts() {
            for row in try connection.query(sql, [.int(account.id)]) {
                let feed = try row.optionalText("feed")
                table.add(
                    try row.text("account"), try row.text("source_id"), try row.text("provider"),
                    try row.text("environment"), try row.text("life"), feed,
                    try row.optionalTimestamp("watermark")?.wholeSeconds,
                    try row.optionalTimestamp("last_success_at")?.wholeSeconds,
                    try row.optionalTimestamp("failing_since")?.wholeSeconds, try row.optionalText("failure"),
                    feed == "provider" ? (try row.bool("backfill_complete") ? "complete" : "unfinished") : nil,
                    try row.optionalInt("records").map { String($0) },
                    try row.optionalInt("late_arrivals").map { String($0) },
                    try row.optionalInt("waiting").map { String($0) },
                    try row.optionalInt("unknown_fields").map { String($0) })
            }
        }
        workspace.print(table.text(try workspace.listFormat(), empty: "sources: nothing was polled or loaded yet"))
        return .done
    }
}
