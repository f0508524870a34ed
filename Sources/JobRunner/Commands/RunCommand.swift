/// `tieout run JOB`: the whole job, account after account; the worst exit applies.
enum RunCommand {
    static let commands = [
        Command(
            "run", "run JOB", "the whole job: load, poll, link, reconcile, report (Jobs/JOB.json5)",
            options: [
                "source", "output", "since", "full", "fail-on", "fail-on-new", "strict", "raw", "bom", "dry-run",
                "json",
            ],
            words: 1...1
        ) { workspace, words in
            let job = try JobDefinition.read(name: words[0], root: try workspace.installation().root)
            return try await JobSession(workspace, job: job).runAll()
        }
    ]
}

/// The steps of a job by hand: each is a job of one step, with the same lock, run record and exit status.
enum StepCommands {
    static let commands = [
        Command(
            "poll", "poll", "pull transactions from the providers",
            options: ["source", "since", "dry-run", "json"]
        ) { workspace, _ in try await step(.poll, of: workspace) },
        Command(
            "reconcile", "reconcile", "link payments, run the rules, keep the breaks and control totals",
            options: ["full", "fail-on", "fail-on-new", "strict", "dry-run", "json"]
        ) { workspace, _ in
            try await JobSession(
                workspace,
                job: JobDefinition(name: "reconcile", steps: [.link, .reconcile], accounts: nil, periodDays: 1)
            )
            .runAll()
        },
        Command(
            "report", "report [RUN]", "publish a run's reports again (default: the last run that reconciled)",
            options: ["all", "output", "raw", "bom"], words: 0...1
        ) { workspace, words in try ReportCommand.run(workspace, run: words.first) },
    ]

    private static func step(_ step: JobDefinition.Step, of workspace: Workspace) async throws -> ExitStatus {
        try await JobSession(
            workspace, job: JobDefinition(name: step.rawValue, steps: [step], accounts: nil, periodDays: 1)
        ).runAll()
    }
}

/// `tieout load orders|webhooks|settlements FILE…`
enum LoadCommands {
    static let commands = [
        Command(
            "load orders", "load orders FILE…", "load order-book files (.csv, .csv.gz, folders, - for standard input)",
            options: ["exported-at", "covers-until", "encoding", "complete", "source", "dry-run", "json"],
            words: 1...10_000
        ) { workspace, words in try await load(workspace, .init(orders: words)) },
        Command(
            "load webhooks", "load webhooks FILE…",
            "load captured webhooks (JSON Lines, .gz, folders, - for standard input)",
            options: ["covers-until", "source", "dry-run", "json"], words: 1...10_000
        ) { workspace, words in try await load(workspace, .init(webhooks: words)) },
        Command(
            "load settlements", "load settlements FILE…",
            "load settlement files (canonical CSV or a dLocal report, .gz, folders, - for standard input)",
            options: ["source", "decimal", "encoding", "exported-at", "covers-until", "dry-run", "json"],
            words: 1...10_000
        ) { workspace, words in try await load(workspace, .init(settlements: words)) },
    ]

    private static func load(_ workspace: Workspace, _ inputs: JobSession.Inputs) async throws -> ExitStatus {
        let job = JobDefinition(name: "load", steps: [.load], accounts: nil, periodDays: 1)
        return try await JobSession(workspace, job: job, inputs: inputs).runAll()
    }
}
