import HTTP
import Loading
import Payments
import Postgres

/// An error as the operator meets it: a name to search for, what happened, what to do next, and the exit status. One
/// place (`OperatorError.init(describing:)`) turns any error of the parts below into one of these; no text here ever
/// holds a value of the data or a secret.
package struct OperatorError: Error, Sendable, CustomStringConvertible {
    /// Stable name in the error catalogue, e.g. `database_unreachable`.
    package let name: String
    package let message: String
    /// What to do next; empty where the message says it all.
    package let advice: String
    package let status: ExitStatus

    package init(_ name: String, _ message: String, advice: String = "", status: ExitStatus) {
        self.name = name
        self.message = message
        self.advice = advice
        self.status = status
    }

    package var description: String { advice.isEmpty ? message : "\(message)\n  \(advice)" }

    static func usage(_ message: String, advice: String = "see `tieout --help`") -> OperatorError {
        OperatorError("usage", message, advice: advice, status: .usage)
    }

    /// A server that starts, stops or is full, and transactions that got into each other's way.
    private static let passing: Set = ["40001", "40P01", "53300", "55P03", "57P01", "57P02", "57P03", "57P05"]

    /// What an error means in the middle of a run: the server was there a moment ago, so it is worth another try.
    static func duringRun(_ error: any Error) -> OperatorError {
        guard let fault = error as? PostgresError, fault.kind == .connection || passing.contains(fault.sqlState ?? "")
        else { return OperatorError(describing: error) }
        return OperatorError(
            "database_lost", "the connection to PostgreSQL was lost: \(fault.message)",
            advice: "what was committed is kept; run the same command again", status: .tryLater)
    }

    /// What any error means to the operator.
    package init(describing error: any Error) {
        switch error {
        case let known as OperatorError:
            self = known
        case let fault as ConfigurationError:
            self.init("configuration", fault.description, advice: "", status: .usage)
        case let fault as MigrationError:
            self.init(
                "migration", "\(fault)", advice: "`tieout db status` lists what is applied", status: .internalFailure)
        case let fault as ClusterError:
            self.init("cluster", "the private PostgreSQL: \(fault)", status: .internalFailure)
        case let fault as LoadFault where fault.kind == .usage:
            self.init("input", fault.message, status: .usage)
        case let fault as LoadFault:
            self.init("input", fault.message, status: .internalFailure)
        case let fault as PostgresError where Self.passing.contains(fault.sqlState ?? ""):
            self.init(
                "database_busy", "PostgreSQL asks for patience: \(fault)",
                advice: "what was committed is kept; run the same command again", status: .tryLater)
        case let fault as PostgresError where fault.kind == .connection:
            self.init(
                "database_unreachable", "PostgreSQL cannot be reached: \(fault.message)",
                advice:
                    "check `database` in the configuration, or that the server runs; then run the same command again",
                status: .internalFailure)
        case let fault as PostgresError where fault.sqlState == "42P01" || fault.sqlState == "3F000":
            self.init(
                "not_migrated", "the database lacks tables that this version needs",
                advice: "run `tieout db migrate`", status: .usage)
        case let fault as PostgresError:
            self.init("database", "PostgreSQL: \(fault)", status: .internalFailure)
        case let refusal as JobLock.Refusal:
            switch refusal {
            case .held(let holder):
                self.init(
                    "locked", "another run holds this account's lock (\(holder))",
                    advice: "nothing was touched; run the same command later", status: .tryLater)
            }
        case is Fence.Lost:
            self.init(
                "lock_lost", "another run took this account over while this one was away; it stopped before writing",
                advice: "nothing was lost; look at the other run", status: .tryLater)
        case let fault as CountsDiffer:
            self.init(
                "counts_differ", fault.description,
                advice: "what is stored is whole; run it again, and report this with the log", status: .internalFailure)
        case is CancellationError:
            self.init("interrupted", "interrupted; what was read is kept", advice: "run it again", status: .tryLater)
        default:
            self.init("internal", "\(error)", status: .internalFailure)
        }
    }
}
