import Payments
import Synchronization

/// Rows of the list as JSON, kept for the next time they are asked for: a benchmark measures who reads, not who renders.
/// Holds one moment; another one begins anew.
final class RenderedRows: Sendable {
    private struct State {
        var moment: Timestamp?
        var isNew = false
        var bytes: [UInt8] = []
        /// By index into the world's trades; an empty range is a row that nobody has asked for.
        var places: [Range<Int>] = []
    }

    private let count: Int
    private let state = Mutex(State())

    /// `count` is how many trades the world has.
    init(count: Int) { self.count = count }

    /// The rows of `page`, joined by commas.
    func rows(_ page: ArraySlice<Int>, isNew: Bool, at moment: Timestamp, _ render: (Int) -> [UInt8]) -> [UInt8] {
        state.withLock { state in
            if state.moment != moment || state.isNew != isNew {
                state = State(moment: moment, isNew: isNew, places: Array(repeating: 0..<0, count: count))
            }
            var joined: [UInt8] = []
            joined.reserveCapacity(page.count * 2_000)
            for index in page {
                if state.places[index].isEmpty {
                    let row = render(index)
                    state.places[index] = state.bytes.count..<state.bytes.count + row.count
                    state.bytes += row
                }
                if !joined.isEmpty { joined.append(UInt8(ascii: ",")) }
                joined += state.bytes[state.places[index]]
            }
            return joined
        }
    }
}
