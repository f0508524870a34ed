/// A run's counters are not what the database holds of it: something was lost or written twice on the way. Nobody may say
/// that the run has succeeded.
package struct CountsDiffer: Error, CustomStringConvertible {
    let source: String
    let counted: Int
    let written: Int
    let quarantined: Int
    let setAside: Int

    package var description: String {
        """
        source \(source) counted \(counted) versions and \(quarantined) quarantined records, but the database holds \
        \(written) and \(setAside) of this run
        """
    }
}
