/// Why a report could not be published. The description names files, reports and columns, never a value of data.
package enum ReportingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The account has no such run.
    case noRun(account: Int64, run: Int64)
    /// The run is published already, and what would be published now differs in this file.
    case differs(path: String, file: String)
    /// Another publish for the same account and job is going on.
    case busy(path: String)
    /// A file operation failed.
    case file(path: String, operation: String, reason: String)
    /// A report's definition cannot be used.
    case definition(path: String, reason: String)
    /// A query names something that does not exist.
    case query(path: String, name: String)

    package var description: String {
        switch self {
        case .noRun(let account, let run): "account \(account) has no run \(run) to report"
        case .differs(let path, let file):
            "\(path) is published and \(file) would differ: publish into another --output, or remove it by hand"
        case .busy(let path): "another publish is writing to \(path)"
        case .file(let path, let operation, let reason): "cannot \(operation) \(path): \(reason)"
        case .definition(let path, let reason): "\(path): \(reason)"
        case .query(let path, let name): "\(path) names {\(name)}, which neither the run nor SQL/reporting knows"
        }
    }

    /// A later try may succeed without anybody doing anything.
    package var isTransient: Bool {
        if case .busy = self { return true }
        return false
    }
}
