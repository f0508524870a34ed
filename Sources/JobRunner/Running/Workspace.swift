import Foundation
package import Loading
package import Payments
package import Postgres
import Reconciling

/// What every command needs: the options, the configuration, the data folder, the database, the log. Parts are made when
/// they are first asked for, so that `--help` touches nothing.
package final class Workspace {
    package let arguments: Arguments
    package let environment: [String: String]
    package let machineClock: @Sendable () -> Timestamp
    package let logger: Logger
    /// Standard output.
    package let print: @Sendable (String) -> Void
    package let stop: StopFlag
    private let executable: String

    private var foundInstallation: Installation?
    private var readConfiguration: Configuration?
    private var lease: EmbeddedCluster.Lease?
    private var openConnection: Connection?

    package init(
        arguments: Arguments, environment: [String: String], executable: String, logger: Logger, stop: StopFlag,
        machineClock: @escaping @Sendable () -> Timestamp, print: @escaping @Sendable (String) -> Void
    ) {
        self.arguments = arguments
        self.environment = environment
        self.executable = executable
        self.logger = logger
        self.stop = stop
        self.machineClock = machineClock
        self.print = print
    }

    package func installation() throws(OperatorError) -> Installation {
        if let foundInstallation { return foundInstallation }
        let found = try Installation.find(
            option: try arguments.value("root"), environment: environment, executable: executable)
        foundInstallation = found
        return found
    }

    package func sql() throws(OperatorError) -> SQLLibrary { SQLLibrary(root: try installation().root) }

    /// The configuration that `--config`, `$TIEOUT_CONFIG` or the usual places give.
    package func configuration() throws -> Configuration {
        if let readConfiguration { return readConfiguration }
        let read = try Configuration.read(path: try configurationPath(), environment: environment)
        readConfiguration = read
        return read
    }

    private func configurationPath() throws(OperatorError) -> String {
        if let named = try arguments.value("config") ?? environment["TIEOUT_CONFIG"] { return named }
        for place in Configuration.usualPlaces where FileManager.default.fileExists(atPath: place) { return place }
        throw OperatorError(
            "no_configuration",
            "there is no configuration: \(Configuration.usualPlaces.joined(separator: ", ")) were tried",
            advice: "name one with --config or TIEOUT_CONFIG", status: .usage)
    }

    /// The accounts that `--account` names, else all.
    package func accounts(limitedTo names: [String]? = nil) throws -> [AccountConfiguration] {
        let configuration = try self.configuration()
        let wanted = arguments.all("account").isEmpty ? names : arguments.all("account")
        guard let wanted else { return configuration.accounts }
        return try wanted.map { name in
            guard let account = configuration.account(named: name) else {
                let known = configuration.accounts.map(\.name)
                let hint = Suggestion.nearest(to: name, among: known).map { "; did you mean '\($0)'?" } ?? ""
                throw OperatorError.usage("there is no account '\(Terminal.safe(name))'\(hint)")
            }
            return account
        }
    }

    /// The cluster that this configuration uses where it names no database.
    package func cluster() throws -> EmbeddedCluster {
        try EmbeddedCluster(stateDirectory: try environment["TIEOUT_STATE"] ?? configuration().stateDirectory)
    }

    /// The database's address; starts the private cluster where none is configured. It is a secret: it may hold a
    /// password.
    package func conninfo() throws -> Secret {
        if let configured = try configuration().database { return configured }
        if let lease { return Secret(lease.conninfo) }
        let acquired = try cluster().acquire()
        lease = acquired
        return Secret(acquired.conninfo)
    }

    /// One connection for the command's own work.
    package func connection() throws -> Connection {
        if let openConnection, openConnection.isAlive { return openConnection }
        let connection = try connect("tieout")
        openConnection = connection
        return connection
    }

    /// A further connection.
    package func connect(_ name: String) throws -> Connection {
        try Connection(try conninfo().reveal(), applicationName: name)
    }

    /// Applies what is missing of migrations and reference data. Jobs and `db migrate` call it; readers do not.
    @discardableResult
    package func migrate() throws -> [String] {
        let connection = try self.connection()
        let root = try installation().root
        let applied = try Migrator(directory: root + "/SQL/migrations").migrate(connection)
        try ReferenceData.load(on: connection, root: root)
        return applied
    }

    /// Ledger time: `--now` (or, where it means the same, `--as-of`), `TIEOUT_NOW`, else the machine's.
    package func ledgerClock(asOfMeansNow: Bool) throws(OperatorError) -> LedgerClock {
        let now = try arguments.moment("now")
        let asOf = asOfMeansNow ? try arguments.moment("as-of") : nil
        if now != nil && asOf != nil { throw .usage("--now and --as-of mean the same here; give one") }
        if let fixed = now ?? asOf { return LedgerClock(fixed: fixed) }
        if let text = environment["TIEOUT_NOW"], !text.isEmpty {
            guard let moment = Timestamp(text) else {
                throw .usage("TIEOUT_NOW must be a moment such as 2026-08-11T02:30:00Z")
            }
            return LedgerClock(fixed: moment)
        }
        return LedgerClock(machine: machineClock)
    }

    /// Closes what was opened; stops the private cluster where nobody else uses it.
    package func close() {
        openConnection = nil
        lease?.release()
        lease = nil
    }
}
