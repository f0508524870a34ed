import Foundation
import Payments

/// Where the data that goes with the program lies: SQL, Reports and Jobs, which a DBA or an accountant can read and
/// change without compiling.
package struct Installation: Sendable {
    /// The folder that holds SQL, Reports and Jobs.
    package let root: String

    /// The first that has a `SQL/migrations`: `--root`, `$TIEOUT_ROOT`, `../share/tieout` beside the executable, the
    /// checkout that the executable was built in.
    package static func find(option: String?, environment: [String: String], executable: String)
        throws(OperatorError) -> Installation
    {
        if let named = option ?? environment["TIEOUT_ROOT"] {
            guard isRoot(named) else {
                throw OperatorError(
                    "no_root", "there is no SQL/migrations in \(Terminal.safe(named))",
                    advice: "--root or TIEOUT_ROOT must name the folder that holds SQL, Reports and Jobs",
                    status: .usage)
            }
            return Installation(root: URL(fileURLWithPath: named).standardizedFileURL.path)
        }
        let program = URL(fileURLWithPath: executable).resolvingSymlinksInPath()
        let shared = program.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            "share/tieout")
        if isRoot(shared.path) { return Installation(root: shared.path) }
        var folder = program.deletingLastPathComponent()
        for _ in 0..<6 {
            folder = folder.deletingLastPathComponent()
            if isRoot(folder.path) { return Installation(root: folder.path) }
        }
        throw OperatorError(
            "no_root", "the folders SQL, Reports and Jobs that belong to this program were not found",
            advice: "name their parent with --root or TIEOUT_ROOT", status: .usage)
    }

    private static func isRoot(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/SQL/migrations")
    }
}
