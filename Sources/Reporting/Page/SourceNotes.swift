import Postgres

/// What there is to say of single sources besides how far they reach: test data that are ignored, rows that a draining
/// source was not expected to show, what is stranded at a retired one.
struct SourceNotes {
    let page: PageContext

    func html() throws -> HTML {
        let lines = try page.rows("source_notes").flatMap { try Self.lines($0, page) }
        if lines.isEmpty { return "" }
        return "<ul class=\"plain\" id=\"source-notes\">\(HTML.joined(lines))</ul>\n"
    }

    private static func lines(_ row: Row, _ page: PageContext) throws -> [HTML] {
        let source = outside(try row.text("source"))
        var lines: [HTML] = []
        let events = try row.int("test_events")
        if events > 0 { lines.append("<li><b>\(source)</b> \(plural(events, "test-mode event")) ignored</li>") }
        let rows = try row.int("test_rows")
        if rows > 0 { lines.append("<li><b>\(source)</b> \(plural(rows, "test-mode row")) ignored</li>") }
        let since: HTML = try row.optionalText("life_since").map { " since <time>\($0)</time>" } ?? ""
        switch try row.text("life") {
        case "draining":
            let news = try row.int("new_rows")
            let newest: HTML = try row.optionalText("newest_at").map { ", the newest of <time>\($0)</time>" } ?? ""
            lines.append(
                "<li><b>\(source)</b> draining\(since): \(news == 0 ? "no new row" : "\(plural(news, "new row")), though none was expected\(newest)")</li>"
            )
        case "retired":
            let stranded = try row.int("stranded")
            lines.append(
                "<li><b>\(source)</b> retired\(since): \(stranded == 0 ? "nothing is stranded" : "<a href=\"stranded.csv\">\(plural(stranded, "item")) stranded</a>, which nobody reads any more")</li>"
            )
        default: break
        }
        return lines
    }
}
