/// A half-open span of time, `[start, end)`: the end belongs to the next one.
package struct Window: Sendable, Hashable, CustomStringConvertible {
    package let start: Timestamp
    package let end: Timestamp

    /// `end` must not lie before `start`; equal bounds make an empty window.
    package init(start: Timestamp, end: Timestamp) {
        precondition(start <= end, "a window cannot end before it starts")
        self.start = start
        self.end = end
    }

    package var isEmpty: Bool { start == end }

    package func contains(_ moment: Timestamp) -> Bool { start <= moment && moment < end }

    /// What both share; nil where that is nothing.
    package func intersection(_ other: Window) -> Window? {
        let (start, end) = (max(start, other.start), min(end, other.end))
        return start < end ? Window(start: start, end: end) : nil
    }

    package var description: String { "[\(start), \(end))" }
}
