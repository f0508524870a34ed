/// How much a load has added since the planner was last told how large its tables are. What a load asks of tables that it
/// fills itself is planned by what they held when they were measured last: a source that was empty then counts as one row,
/// and any index looks as good as any other.
struct TableGrowth {
    /// Rows below which no plan goes wrong badly.
    private static let least = 10_000

    /// Rows that came since.
    private(set) var unmeasured = 0
    private var measured: Int

    /// `measured`: rows that the planner knows of.
    init(measured: Int = 0) { self.measured = measured }

    mutating func count(_ rows: Int) { unmeasured += rows }

    /// Whether so much has come that the planner must be told: four times what it knows of, so that a load of any size
    /// measures a handful of times. Asking means that it is told now.
    mutating func isTimeToMeasure() -> Bool {
        guard unmeasured > max(Self.least, 3 * measured) else { return false }
        wasMeasured()
        return true
    }

    mutating func wasMeasured() {
        measured += unmeasured
        unmeasured = 0
    }
}
