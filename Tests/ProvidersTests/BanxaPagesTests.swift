import HTTP
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Banxa's lists and single reads")
struct BanxaPagesTests {
    private func ask(_ cursor: String? = nil, limit: Int = 2) -> PageAsk {
        var ask = PageAsk(from: Timestamp("2026-11-02T10:00:00Z"), to: nil, cursor: cursor, limit: limit)
        ask.asOf = Timestamp("2026-11-30T02:00:00Z")
        return ask
    }

    private static func rows(_ ids: [String]) -> String {
        "[" + ids.map { #"{"id":"\#($0)","createdAt":"2026-11-03T01:02:03.004Z"}"# }.joined(separator: ",") + "]"
    }

    private func page(
        _ body: String, status: Int = 200, _ cursor: String? = nil, surface: BanxaSurface = .v2
    ) throws -> PageFacts {
        let lister = try #require(try BanxaScene.banxa(surface).payments.lister)
        return try lister.page(from: BanxaScene.response(status, body), to: ask(cursor)).facts
    }

    // MARK: Requests

    @Test("v2 asks for days with room on either side, for the partner's path, and names no status")
    func requestV2() throws {
        let lister = try #require(try BanxaScene.banxa().payments.lister)
        #expect(
            lister.request(for: ask()).url
                == "https://api.banxa.com/demo-partner/v2/orders?start=2026-11-01&end=2026-12-02&limit=2")
        #expect(lister.request(for: ask("1/2/5/a/a")).url.hasSuffix("&limit=2&page=1"))
        // A window's end would hide what changed since, were the days those of a change.
        var bounded = ask()
        bounded.to = Timestamp("2026-11-10T00:00:00Z")
        #expect(lister.request(for: bounded).url == lister.request(for: ask()).url)
        let open = lister.request(for: PageAsk(from: nil, to: nil, limit: 1000)).url
        #expect(open.hasSuffix("/v2/orders?start=2014-01-01&end=2037-12-31&limit=100"))
        #expect(!lister.hasExactWindows && lister.isOneWay)
    }

    @Test("legacy asks by its own names and for up to 200 rows; Native has no list")
    func requestLegacy() throws {
        let lister = try #require(try BanxaScene.banxa(.legacy).payments.lister)
        #expect(
            lister.request(for: ask("3/2/5/a/a", limit: 500)).url
                == "https://api.banxa.com/api/orders?start_date=2026-11-01&end_date=2026-12-02&per_page=200&page=3")
        let native = try BanxaScene.banxa(.native)
        #expect(native.payments.lister == nil && native.declaration.lists == [])
        #expect(native.payments.reader?.idKinds == ["banxa:transaction", "banxa:order"])
    }

    @Test("single reads go by id; what cannot be an id is not asked for")
    func single() throws {
        for (surface, url) in [
            (BanxaSurface.v2, "https://api.banxa.com/demo-partner/v2/orders/5b0e"),
            (.legacy, "https://api.banxa.com/api/orders/5b0e"), (.native, "https://api.banxa.com/eapi/v0/ramps/5b0e"),
        ] {
            let reader = try #require(try BanxaScene.banxa(surface).payments.reader)
            #expect(reader.request(for: ReadAsk(id: "5b0e"))?.url == url)
            for wrong in ["", "a b", "../orders", "..", String(repeating: "a", count: 101), "ä"] {
                #expect(reader.request(for: ReadAsk(id: wrong)) == nil)
            }
            #expect(reader.request(for: ReadAsk(id: nil)) == nil)
        }
    }

    // MARK: Shapes

    @Test(
        "a list is read bare, in data, as data, and by either of its names",
        arguments: [
            #"{"orders":R,"pageTotal":2,"total":5}"#, #"{"data":{"orders":R,"total":5}}"#,
            #"{"data":R,"total":"5"}"#, #"{"data":{"order":R},"meta":{"total":5}}"#,
            #"{"orders":R,"total":5,"errors":[]}"#,
            #"{"orders":R,"total":5,"errors":null}"#,
        ])
    func shapes(text: String) throws {
        let facts = try page(text.replacing("R", with: Self.rows(["a", "b"])))
        #expect(facts.rows.map(\.id) == ["a", "b"] && facts.total == 5 && !facts.saysEnd)
        #expect(facts.rows.first?.createdAt == Timestamp("2026-11-03T01:02:03.004Z"))
    }

    @Test("errors in a good answer, other shapes and refusals are no page")
    func faults() throws {
        for text in [
            #"{"orders":[],"errors":[{"code":"E1","message":"no"}]}"#, #"{"orders":[],"errors":{"title":"x"}}"#,
            #"{"orders":[],"errors":{"start":["is wrong"]}}"#, "{}", #"{"orders":"none"}"#, "<html>", #"{"orders":["#,
        ] {
            #expect {
                try page(text)
            } throws: { error in
                if case .unreadable? = error as? ProviderFault { true } else { false }
            }
        }
        let body = #"{"message":"The given data was invalid.","errors":{"start":["The start is required."]}}"#
        #expect(throws: ProviderFault.refused(status: 422, code: nil)) { try page(body, status: 422) }
        #expect(throws: ProviderFault.refused(status: 401, code: "40103")) {
            try page(#"{"errors":[{"status":"40103","code":"401","title":"Not authorized"}]}"#, status: 401)
        }
        #expect(throws: ProviderFault.cursorRejected) { try page("{}", status: 422, "4/6/9/a/c") }
    }

    @Test("the legacy meta leads on by its own page number; per_page is text there")
    func legacyMeta() throws {
        func meta(_ page: Int) -> String {
            #"{"data":{"orders":\#(Self.rows(["a", "b"]))},"meta":{"current_page":\#(page),"from":1,"last_page":3,"per_page":"2","to":2,"total":5}}"#
        }
        #expect(try page(meta(1), surface: .legacy).next == "2/2/5/a/a")
        #expect(try page(meta(0), surface: .legacy).next == "1/2/5/a/a")
        let facts = try page(
            #"{"data":{"orders":[]},"meta":{"current_page":1,"from":1,"last_page":1,"per_page":"5","to":1,"total":1}}"#,
            surface: .legacy)
        #expect(facts.rows.isEmpty && facts.next == nil && facts.total == 1)
        #expect(
            try page(#"{"data":{"order":{"id":"z","created_at":"01-Jul-2022 07:51:18"}}}"#, surface: .legacy).rows
                .map(\.id) == ["z"])
    }

    // MARK: Walks, as far as pages decide them

    /// Serves `ids` by pages and follows `next` as a walk does; returns the ids met, in order, and the requests.
    private func follow(
        _ ids: [String], base: Int, cap: Int = 2, total: Bool = true, pageTotal: Int? = nil,
        refusesBehind: Bool = false,
        repeatsBehind: Bool = false
    ) throws -> (ids: [String], requests: Int) {
        let lister = try #require(try BanxaScene.banxa().payments.lister)
        var met: [String] = []
        var cursor: String?
        for requests in 1...50 {
            let url = lister.request(for: ask(cursor)).url
            let number = url.firstRange(of: "&page=").flatMap { Int(url[$0.upperBound...]) } ?? base
            var start = (number - base) * cap
            if repeatsBehind { start = min(start, (ids.count - 1) / cap * cap) }
            let rows = start >= 0 && start < ids.count ? Array(ids[start..<min(start + cap, ids.count)]) : []
            var body = #"{"orders":\#(Self.rows(rows))"#
            if total { body += #","total":\#(ids.count),"pageTotal":\#(pageTotal ?? rows.count)"# }
            let status = rows.isEmpty && refusesBehind ? 404 : 200
            let facts = try lister.page(from: BanxaScene.response(status, body + "}"), to: ask(cursor)).facts
            met += facts.rows.map(\.id)
            guard let next = facts.next else { return (met, requests) }
            cursor = next
        }
        return (met, 50)
    }

    @Test("every row is met whether pages count from 0 or 1, are capped lower than asked, or have a total")
    func bases() throws {
        let ids = (1...7).map { "r\($0)" }
        for base in [0, 1] {
            for cap in [1, 2] {
                for total in [true, false] {
                    let walk = try follow(ids, base: base, cap: cap, total: total)
                    var seen: Set<String> = []
                    #expect(walk.ids.filter { seen.insert($0).inserted } == ids)
                    // Where pages count from 1 the first is met twice; an empty page ends the list.
                    #expect(walk.requests == (7 + cap - 1) / cap + 1 + base)
                }
            }
        }
    }

    @Test("pageTotal means nothing here; a list that fits its first page needs one request")
    func ends() throws {
        #expect(try follow(["a"], base: 1).requests == 1)
        // It might go on behind a full page: the second request shows the same one.
        #expect(try follow(["a", "b"], base: 1).requests == 2)
        #expect(try follow([], base: 1).requests == 1)
        for pageTotal in [1, 2, 4, 400] {
            #expect(try Set(follow(["a", "b", "c"], base: 1, pageTotal: pageTotal).ids) == ["a", "b", "c"])
        }
    }

    @Test("a page behind the last that is refused is the end where the total was met, and else a lost position")
    func refusedBehind() throws {
        #expect(try Set(follow(["a", "b", "c", "d"], base: 0, refusesBehind: true).ids) == ["a", "b", "c", "d"])
        #expect(throws: ProviderFault.cursorRejected) {
            try follow(["a", "b", "c", "d"], base: 0, total: false, refusesBehind: true)
        }
    }

    @Test("a list that shows its last page again for whatever lies behind is at its end there", arguments: [0, 1])
    func repeatedBehind(base: Int) throws {
        for count in 1...5 {
            let ids = (1...count).map { "r\($0)" }
            let walk = try follow(ids, base: base, repeatsBehind: true)
            #expect(Set(walk.ids) == Set(ids) && walk.requests <= (count + 1) / 2 + 2)
        }
    }

    @Test("a repeated first page does not count twice, also where a row came in above it")
    func repeated() throws {
        let first = try page(#"{"orders":\#(Self.rows(["a", "b"])),"total":5}"#)
        #expect(first.next == "1/2/5/a/a")
        #expect(try page(#"{"orders":\#(Self.rows(["a", "b"])),"total":5}"#, first.next).next == "2/2/5/a/a")
        #expect(try page(#"{"orders":\#(Self.rows(["new", "a"])),"total":6}"#, first.next).next == "2/2/6/a/new")
        #expect(try page(#"{"orders":\#(Self.rows(["c", "d"])),"total":5}"#, first.next).next == "2/4/5/a/c")
    }

    // MARK: Single reads

    private func ids(_ status: Int, _ body: String, _ surface: BanxaSurface = .v2) throws -> [String] {
        let reader = try #require(try BanxaScene.banxa(surface).payments.reader)
        guard
            case .elements(let elements) = try reader.answer(
                from: BanxaScene.response(status, body), to: ReadAsk(id: "x"))
        else { return ["another one"] }
        return elements.compactMap { $0["id"]?.scalarText }
    }

    @Test("a single order is read bare, in data, in data.order; one that is not there is no fault")
    func singleShapes() throws {
        #expect(try ids(200, #"{"id":"x"}"#) == ["x"])
        #expect(try ids(200, #"{"data":{"id":"x"}}"#) == ["x"])
        #expect(try ids(200, #"{"data":{"order":{"id":"x"}}}"#, .legacy) == ["x"])
        #expect(try ids(200, #"{"order":{"id":"x"}}"#, .legacy) == ["x"])
        #expect(try ids(200, #"{"data":null}"#) == [])
        #expect(try ids(404, "") == [])
        #expect(try ids(404, "", .native) == [])
        #expect(try ids(422, #"{"errors":[{"status":"1","code":"422","title":"Order not found"}]}"#, .legacy) == [])
        #expect(try ids(400, #"{"errors":{"code":1,"title":"Order not found"}}"#, .legacy) == [])
        #expect(throws: ProviderFault.refused(status: 422, code: "4002")) {
            try ids(422, #"{"errors":[{"status":"4002","code":"422"}]}"#, .legacy)
        }
        #expect(throws: ProviderFault.self) { try ids(200, #"{"id":"x","errors":[{"code":"E"}]}"#) }
        #expect(throws: ProviderFault.self) { try ids(200, #"{"status":"complete"}"#) }
    }

    // MARK: Times

    @Test(
        "moments are read in every form that Banxa writes",
        arguments: [
            "2026-01-16T04:04:21.000Z", "2026-01-16T04:04:21Z", "2026-01-16 04:04:21", "2026-01-1604:04:21",
            "16-Jan-2026 04:04:21", "2026-01-16T04:04:21", "2026-01-16T05:04:21+01:00",
        ])
    func times(text: String) {
        #expect(BanxaTime.read(Array(text.utf8)[...]) == Timestamp("2026-01-16T04:04:21Z"))
    }

    @Test(
        "what is no moment is none",
        arguments: ["", "2026-01-16", "2026-13-1604:04:21", "32-Jan-2026 04:04:21", "16-Foo-2026 04:04:21", "04:04:21"])
    func noTimes(text: String) {
        #expect(BanxaTime.read(Array(text.utf8)[...]) == nil)
    }
}
