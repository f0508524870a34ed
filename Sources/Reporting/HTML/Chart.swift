/// Small drawings in SVG that stretch with their column; their numbers stand beside them as text.
enum Chart {
    /// One horizontal bar, `value` of `most`.
    static func bar(_ value: Int64, of most: Int64) -> HTML {
        guard value > 0, most > 0 else { return .empty }
        let width = max(4, Int(value * 100 / most))
        return
            "<svg class=\"bar\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\" focusable=\"false\"><rect width=\"\(width)\" height=\"4\"/></svg>"
    }

    struct Day {
        let day: String
        let book: Int64
        let provider: Int64
    }

    /// Payments by day: the provider's as bars, the book's as a line across each, so that a difference shows as a step.
    static func volumes(_ days: [Day]) -> HTML {
        let most = max(1, days.map { max($0.book, $0.provider) }.max() ?? 1)
        var bars = HTML.empty
        for (index, day) in days.enumerated() {
            let height = Int(day.provider * 1000 / most)
            let line = 1000 - Int(day.book * 1000 / most)
            let x = index * 20
            bars +=
                "<g><title>\(day.day): book \(AmountStyle.count(day.book)), provider \(AmountStyle.count(day.provider))</title><rect x=\"\(x + 3)\" y=\"\(1000 - height)\" width=\"14\" height=\"\(height)\"/><path d=\"M\(x + 1) \(line)h18\"/></g>"
        }
        let label = "Payments by business day from \(days.first?.day ?? "") to \(days.last?.day ?? "")"
        return
            "<svg class=\"volumes\" viewBox=\"0 -20 \(days.count * 20) 1020\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"\(label); the numbers follow in a table\">\(bars)</svg>"
    }

    /// What a step of a bridge does to the sum before it.
    enum StepKind: String {
        case more, less
        /// The sum with which the bridge begins or ends.
        case end
    }

    /// The bar of one step of a bridge: it begins at `left` and is `width` wide, in thousandths of its column.
    static func step(_ kind: StepKind, left: Int64, width: Int64) -> HTML {
        // The narrowest is still seen.
        let shown = max(4, width)
        return
            "<svg class=\"step\" viewBox=\"0 0 1000 16\" preserveAspectRatio=\"none\" aria-hidden=\"true\" focusable=\"false\"><rect class=\"\(kind.rawValue)\" x=\"\(min(left, 1000 - shown))\" width=\"\(shown)\" height=\"16\"/></svg>"
    }
}
