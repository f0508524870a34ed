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

    /// One step of a bridge: its bar begins at `left` and is `width` wide, in thousandths.
    struct Step {
        let label: String
        /// As it is printed, without grouping.
        let amount: String
        let left: Int64
        let width: Int64
        /// It takes away.
        let isLess: Bool
    }

    /// A bridge from the first step to the last, a bar each, its name before it and its amount behind it.
    static func bridge(_ steps: [Step]) -> HTML {
        var bars = HTML.empty
        for (index, step) in steps.enumerated() {
            let y = index * 26
            let isEnd = index == 0 || index == steps.count - 1
            bars +=
                "<text x=\"0\" y=\"\(y + 16)\">\(step.label)</text><rect class=\"\(isEnd ? "end" : step.isLess ? "less" : "more")\" x=\"\(130 + step.left * 420 / 1000)\" y=\"\(y + 4)\" width=\"\(max(1, step.width * 420 / 1000))\" height=\"16\"/><text class=\"n\" x=\"700\" y=\"\(y + 16)\">\(step.amount)</text>"
        }
        let said = HTML.joined(steps.map { "\($0.label) \($0.amount)" }, separator: ", ")
        return
            "<svg viewBox=\"0 0 700 \(steps.count * 26)\" role=\"img\" aria-label=\"\(said)\">\(bars)</svg>\n"
    }
}
