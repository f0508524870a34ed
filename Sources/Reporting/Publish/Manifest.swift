import Foundation
import Payments

/// `manifest.json`: what was published, from what, and where the audit trail stood.
struct Manifest: Encodable {
    struct Run: Encodable {
        let account: Int64
        let run: Int64
        let job: String
        let as_of: String
        let period_from: String?
        let period_to: String?
        let business_day: String
        let started_at: String
        let host: String?
    }

    struct File: Encodable {
        let name: String
        let rows: Int?
        let bytes: Int
        let sha256: String
    }

    struct Definition: Encodable {
        let kind: String
        let name: String
        let sha256: String
    }

    struct Audit: Encodable {
        let seq: Int64
        let digest: String
    }

    let format = 1
    let run: Run
    let versions: [String: String]
    let audit_head: Audit
    let files: [File]
    let definitions: [Definition]

    init(
        run: RunFacts, versions: [String: String], head: ChainHead, files: [PublishedFile],
        definitions: [UsedDefinition]
    ) {
        self.run = Run(
            account: run.accountID, run: run.run, job: run.job, as_of: run.asOf.description,
            period_from: run.periodFrom?.description, period_to: run.periodTo?.description,
            business_day: run.businessDay, started_at: run.startedAt.description, host: run.host)
        self.versions = versions
        audit_head = Audit(seq: head.seq, digest: head.digest)
        self.files = files.map { File(name: $0.name, rows: $0.rows, bytes: $0.bytes, sha256: $0.sha256) }
        self.definitions = definitions.map { Definition(kind: $0.kind, name: $0.name, sha256: $0.digest) }
    }
}

/// `summary.json`: the first screen for machines. Amounts are texts with their currency's digits. The run's id and
/// machine times stand in `run` alone; everything else is the same whenever the report is made again.
struct Summary: Encodable {
    struct Run: Encodable {
        let id: Int64
        let job: String
        let started_at: String
        let host: String?
    }

    struct Feed: Encodable {
        let source, feed, state: String
        let watermark, failing_since, incomplete_since, why: String?
    }

    struct Money: Encodable {
        let currency, amount: String
        let breaks: Int64
    }

    struct Unexplained: Encodable {
        let pair, direction, currency: String
        let records: Int64
        let amount: String?
    }

    struct Breaks: Encodable {
        let standing, primary, acknowledged, new, reopened, healed, resolved, written_off, carried, baseline: Int64
        let by_severity: [String: Int64]
        let by_rule: [String: Int64]
    }

    let run: Run
    let account: String
    let business_day: String
    let as_of: String
    let exit_status: Int64?
    let conditions: [String]
    let period_from: String?
    let period_to: String?
    let compared_with: String?
    /// Every feed current, nothing in quarantine, every rule evaluated.
    let complete: Bool
    let quarantined: Int64
    let rules_not_evaluated: Int64
    let feeds: [Feed]
    let ties_out: Bool
    let unexplained: [Unexplained]
    let at_risk: [Money]
    let breaks: Breaks

    init(_ facts: RunFacts, _ overview: Overview, _ amounts: AmountStyle) {
        run = Run(id: facts.run, job: facts.job, started_at: facts.startedAt.description, host: facts.host)
        exit_status = facts.exitStatus
        conditions = facts.conditions
        account = facts.account
        business_day = facts.businessDay
        as_of = facts.asOf.description
        period_from = facts.periodFrom?.description
        period_to = facts.periodTo?.description
        compared_with = facts.sinceAsOf?.description
        complete = overview.isComplete
        quarantined = overview.gaps.quarantined
        rules_not_evaluated = overview.gaps.silentRules
        feeds = overview.feeds.map {
            Feed(
                source: $0.source, feed: $0.feed, state: $0.state,
                watermark: $0.watermarkAt?.description, failing_since: $0.failingAt?.description,
                incomplete_since: $0.incompleteAt?.description, why: $0.failure)
        }
        ties_out = overview.tiesOut
        unexplained = overview.untied.map { total in
            Unexplained(
                pair: total.pair, direction: total.direction, currency: total.currency,
                records: total.unexplainedCount,
                amount: total.unexplainedSum.map { amounts.plain($0, total.currency) })
        }
        at_risk = overview.atRisk.map {
            Money(currency: $0.currency, amount: amounts.plain($0.amount, $0.currency), breaks: $0.breaks)
        }
        let counts = overview.counts
        breaks = Breaks(
            standing: counts.standing, primary: counts.primaries, acknowledged: counts.acknowledged,
            new: counts.opened, reopened: counts.reopened, healed: counts.healed, resolved: counts.resolved,
            written_off: counts.writtenOff, carried: counts.carried, baseline: counts.baseline,
            by_severity: Dictionary(counts.bySeverity.map { ($0.word, $0.count) }) { first, _ in first },
            by_rule: Dictionary(overview.rules.map { ($0.rule, $0.breaks) }) { first, _ in first })
    }
}

/// JSON in one spelling: sorted keys, indented, a line end at the end.
func jsonText(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
}
