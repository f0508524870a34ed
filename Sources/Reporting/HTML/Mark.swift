/// Status in words and shape; colour only repeats what they say.
enum Mark {
    case good, attention, bad, neutral

    /// A small drawing of its own outline for each status, hidden from screen readers: the word beside it says it.
    var svg: HTML {
        let shape: HTML =
            switch self {
            case .good: "<path d=\"M2 8.5 6.2 12.6 14 4\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2.4\"/>"
            case .attention:
                "<path d=\"M8 1.5 15 14.5H1Z\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.8\"/><path d=\"M8 6v4M8 11.4v1.6\" stroke=\"currentColor\" stroke-width=\"1.8\"/>"
            case .bad: "<path d=\"M3 3 13 13M13 3 3 13\" stroke=\"currentColor\" stroke-width=\"2.6\"/>"
            case .neutral:
                "<circle cx=\"8\" cy=\"8\" r=\"5.6\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.8\"/>"
            }
        return "<svg class=\"mark\" viewBox=\"0 0 16 16\" aria-hidden=\"true\" focusable=\"false\">\(shape)</svg>"
    }

    var name: String {
        switch self {
        case .good: "good"
        case .attention: "attention"
        case .bad: "bad"
        case .neutral: "neutral"
        }
    }

    func labelled(_ words: HTML) -> HTML { "<span class=\"is \(name)\">\(svg)\(words)</span>" }

    /// Filled squares: four for critical down to none for info, so that severity reads without colour.
    static func severity(_ word: String) -> HTML {
        let filled = ["critical": 4, "high": 3, "medium": 2, "low": 1][word] ?? 0
        var bars = HTML.empty
        for step in 0..<4 {
            let height = 4 + step * 3
            let x = step * 4
            bars +=
                "<rect x=\"\(x)\" y=\"\(14 - height)\" width=\"3\" height=\"\(height)\" class=\"\(step < filled ? "on" : "off")\"/>"
        }
        return
            "<span class=\"severity \(word)\"><svg viewBox=\"0 0 16 14\" aria-hidden=\"true\" focusable=\"false\">\(bars)</svg>\(word)</span>"
    }
}
