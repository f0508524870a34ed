import Glibc

/// The command line of `tieout-sandbox`: a word, then options.
package enum SandboxCommand {
    private static let usage = """
        tieout-sandbox: a faithful local simulator of the providers' APIs, with planted faults and the truth about them.

        generate --seed N --output DIR [--transactions 2000] [--days 10] [--nights 3] [--port 18443]
              [--providers a,b] [--beneath a,b] [--switch SPEC]
            writes orders-nightK.csv, webhooks-nightK/, settlements-nightK/, truth.json, secrets/ and tieout.json5;
            one source of each provider (all of them unless named), on ports from the given one on; --beneath: a
            second source of each that shows what Meld gave it to carry out
        serve --directory DIR [--seed N] [--providers a,b] [--port 18443] [--port-file F] [--now T] [--misbehave SPEC]
              [--pace MS] [--answers fresh|kept]
            answers until SIGTERM; POST /_sandbox/clock {"now": "…Z"} with X-Sandbox-Token sets the time,
            POST /_sandbox/misbehave {"spec": "…"} other faults of the source that is asked; GET tells how often each
            has struck;
            --pace makes every answer take so much longer, --answers kept renders each row once, for benchmarks
        verify --truth truth.json --breaks FILE [--night K] [--rules a,b]
            compares breaks.csv, or breaks as JSON, with the truth; exit 1 where they differ
        verify --rows FILE --directory DIR [--night K]
            compares stored transactions (CSV with transaction_id, and status if it is there) with the world:
            lost, doubled, strange and stale ones; exit 1 where there are any
        sums --truth truth.json
            prints the truth's exact sums by side, direction and currency
        pages --directory DIR --now T [--limit 100]
            prints the requests of one walk over Meld's whole list
        providers [--beneath]
            prints the names of the simulated providers, or of those that carry payments out for Meld

        \(WorldPlan.help)\(Misbehaviour.help)
        """

    /// Runs `words` (without the program's name) and returns the exit status: 0 done, 1 failed or different, 2 usage.
    package static func run(_ words: [String]) -> Int32 {
        let rest = words.dropFirst()
        do {
            switch words.first {
            case "generate":
                say(try Generate.run(rest))
                return 0
            case "serve":
                try Serve.run(rest) { say($0) }
                return 0
            case "verify":
                return try Verify.run(rest) { say($0) } ? 0 : 1
            case "sums":
                try Sums.run(rest) { say($0) }
                return 0
            case "pages":
                try Pages.run(rest) { say($0) }
                return 0
            case "providers":
                guard rest.isEmpty || rest == ["--beneath"] else {
                    throw UsageError("providers takes --beneath or nothing")
                }
                for name in rest.isEmpty ? WorldPlan.allProviders : WorldPlan.beneathMeld { say(name) }
                return 0
            case "help", "--help", "-h":
                write(1, usage)
                return 0
            default:
                write(2, usage)
                return 2
            }
        } catch let error as UsageError {
            write(2, "tieout-sandbox: \(error)\n")
            return 2
        } catch {
            write(2, "tieout-sandbox: \(error)\n")
            return 1
        }
    }

    private static func say(_ line: String) { write(1, line + "\n") }

    private static func write(_ descriptor: Int32, _ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
