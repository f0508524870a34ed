import Crypto
import JSON
import Payments
import Testing

@testable import Sandbox

/// Faults as a client meets them, without a socket.
@Suite struct MisbehaviourTests {
    private final class Asked {
        let api: SimulatedAPI
        let headers = ["authorization": "BASIC k:s", "meld-version": "2026-05-01"]

        init(_ spec: String) throws {
            api = SimulatedAPI(
                world: sampleWorld, apiKey: Secret("k:s"), controlToken: Secret("t"),
                misbehaviour: try Misbehaviour(spec),
                wall: { Timestamp(seconds: 784_111_777) })
        }

        func get(_ query: [(name: String, value: String)] = [("limit", "5")], path: String = "") -> APIResponse {
            api.answer(APIRequest(path: "/payments/transactions" + path, query: query, headers: headers))
        }

        func ids(after key: String? = nil, limit: Int = 5) throws -> (ids: [String], key: String?, root: JSONValue) {
            var query = [(name: "limit", value: String(limit))]
            if let key { query.append(("after", key)) }
            let root = try JSONDocument(get(query).body).root
            let rows = Array((root["transactions"] ?? root).elements)
            return (rows.compactMap { $0["id"]?.string }, rows.last?["key"]?.string, root)
        }

        /// Every page down to the first empty one that says it is the last.
        func walk(limit: Int = 5, pages: Int = 2000) throws -> [String] {
            var all: [String] = []
            var key: String?
            for _ in 0..<pages {
                let page = try ids(after: key, limit: limit)
                if page.ids.isEmpty { return all }
                all += page.ids
                key = page.key
            }
            return all
        }
    }

    @Test("the same specification and requests meet the same faults; knobs decide which")
    func schedule() throws {
        let spec = "429:after=2:times=2:retry-after=7,5xx:every=7:times=0:status=502,403:after=11:times=1"
        let runs = try (0..<2).map { _ in
            let asked = try Asked(spec)
            return (0..<14).map { _ in asked.get().status }
        }
        #expect(runs[0] == [200, 200, 429, 429, 200, 200, 502, 200, 200, 200, 200, 403, 200, 502])
        #expect(runs[1] == runs[0])
        let calm = try Asked("")
        #expect((0..<50).allSatisfy { _ in calm.get().status == 200 })
        // Drawn from the seed: some, not all, and the same ones again.
        let drawn = try (0..<2).map { _ in
            let asked = try Asked("5xx:chance=30:times=0")
            return (0..<60).map { _ in asked.get().status == 200 }
        }
        #expect(drawn[0] == drawn[1])
        #expect((30...54).contains(drawn[0].count { $0 }))
    }

    @Test("Retry-After comes as seconds, as a date beside the server's own, as garbage, or not at all")
    func retryAfter() throws {
        let asked = try Asked(
            """
            429:times=1:retry-after=86400,429:after=1:times=1:retry-after=date:ahead=5,\
            429:after=2:times=1:retry-after=garbage,429:after=3:times=1:retry-after=none,skew:seconds=60
            """)
        func header(_ name: String, _ response: APIResponse) -> String? {
            response.headers.first { $0.name == name }?.value
        }
        let answers = (0..<5).map { _ in asked.get() }
        #expect(answers.map(\.status) == [429, 429, 429, 429, 200])
        #expect(header("Retry-After", answers[0]) == "86400")
        #expect(header("Retry-After", answers[1]) == "Sun, 06 Nov 1994 08:50:42 GMT")
        #expect(answers.allSatisfy { header("Date", $0) == "Sun, 06 Nov 1994 08:50:37 GMT" })
        #expect(header("Retry-After", answers[2]) == "soon, please")
        #expect(header("Retry-After", answers[3]) == nil)
        #expect(header("Date", try Asked("").get()) == nil)
    }

    @Test(
        "what disturbs the way of an answer leaves its status alone",
        arguments: [
            ("cut", APIResponse.Delivery.cut), ("stall:seconds=2", .stall(milliseconds: 2000)),
            ("drip:bytes=9:ms=3", .drip(bytes: 9, milliseconds: 3)), ("hangup", .hangUp),
            ("oversized:megabytes=1", .padded(bytes: 1 << 20)),
        ])
    func deliveries(spec: String, delivery: APIResponse.Delivery) throws {
        let asked = try Asked(spec)
        let answer = asked.get()
        #expect(answer.delivery == delivery && answer.status == 200)
        _ = (0..<3).map { _ in asked.get() }
        #expect(asked.get().delivery == .whole)
    }

    @Test("bodies that are no JSON, or go under another name, and a redirect that names another host")
    func bodies() throws {
        let broken = try Asked("malformed").get()
        #expect((try? JSONDocument(broken.body)) == nil && broken.status == 200)
        let page = try Asked("html").get()
        #expect(page.headers.contains { $0.value == "text/html" } && page.status == 200)
        let named = try Asked("content-type").get()
        #expect(named.headers.contains { $0.value == "text/plain" })
        #expect((try? JSONDocument(named.body)) != nil)
        let moved = try Asked("redirect").get()
        #expect(moved.status == 302 && moved.headers.contains { $0.name == "Location" })
    }

    @Test("a single read is spared by what is about lists, and hit by what is about it")
    func scopes() throws {
        let id = "/" + (sampleWorld.trades.last?.id ?? "")
        let asked = try Asked("cut:times=0,5xx:on=one:times=1:status=503")
        #expect(asked.get(path: id).status == 503)
        #expect(asked.get(path: id).status == 200)
        #expect(asked.get(path: id).delivery == .whole)
        #expect(asked.get().delivery == .cut)
    }

    @Test("the record of a single read is spoilt where it is asked for, and then the list is not")
    func records() throws {
        let id = sampleWorld.trades.last?.id ?? ""
        func record(_ asked: Asked) throws -> JSONValue {
            let root = try JSONDocument(asked.get(path: "/" + id).body).root
            return root["transaction"] ?? root
        }
        let plain = try record(Asked(""))
        #expect(plain["id"]?.string == id)
        for spec in ["bad", "bad-type", "bad-status", "bad-field", "stranger"] {
            #expect(try record(Asked(spec)).sourceBytes.elementsEqual(plain.sourceBytes), "\(spec) is about lists")
        }
        #expect(try record(Asked("bad:on=one"))["sourceAmount"]?.string == "12.3.4")
        #expect(try record(Asked("bad-type:on=all"))["sourceAmount"]?.isObject == true)
        #expect(try record(Asked("bad-status:on=one"))["status"]?.string == "retry_scheduled")
        #expect(try record(Asked("bad-field:on=one"))["unheard_of"]?["no"]?.integer == 7)
        let strange = try record(Asked("stranger:on=one"))
        #expect(strange["id"]?.string == id && strange["accountId"]?.string?.hasPrefix("Wstranger") == true)

        // The first record alone; pages neither count nor are changed, and the same requests meet the same again.
        let asked = try Asked("bad:on=one:times=1")
        let page = asked.get().body
        #expect(try page == Asked("").get().body)
        #expect(try record(asked)["sourceAmount"]?.string == "12.3.4")
        #expect(try record(asked).sourceBytes.elementsEqual(plain.sourceBytes))
        #expect(asked.get().body == page)
        #expect(asked.api.disturbance.tallies.map(\.seen) == [2])
        // Who is not there has no record that could be spoilt.
        let missing = try Asked("bad:on=one").get(path: "/" + id + "x")
        #expect(missing.status == 404)
    }

    @Test("walks over short, empty, expired and repeated pages can still meet every row by asking again")
    func lists() throws {
        let all = try Asked("").walk(limit: 50)
        #expect(Set(all).count == all.count)
        #expect(try Asked("short").walk(limit: 50) == all)
        #expect(try Asked("bare").walk(limit: 50) == all)

        let empty = try Asked("empty:after=1,empty:after=3:lie=yes")
        let first = try empty.ids()
        let second = try empty.ids(after: first.key)
        #expect(second.ids.isEmpty && second.root["remaining"]?.integer == Int64(all.count - 5))
        #expect(try empty.ids(after: first.key).ids == Array(all[5..<10]))
        #expect(try empty.ids(after: first.key).root["remaining"]?.integer == 0)

        let expired = try Asked("expired:after=1")
        _ = try expired.ids()
        #expect(expired.get([("limit", "5"), ("after", first.key ?? "")]).status == 400)
        #expect(try expired.ids(after: first.key).ids == Array(all[5..<10]))

        let again = try Asked("repeat")
        _ = try again.ids()
        let repeated = try again.ids(after: first.key)
        #expect(repeated.ids == Array(all[5..<10]) && repeated.key == first.key)
        let loop = try Asked("loop:times=0").walk(limit: 50, pages: 4)
        let head = Array(all[..<50])
        #expect(loop == Array([head, head, head, head].joined()))
    }

    @Test("rows that do not belong on a page stand on it beside those that do")
    func surplus() throws {
        let page = Array(try Asked("").walk(limit: 20).prefix(20))
        let doubled = try Asked("duplicate:rows=3").ids(limit: 20).ids
        #expect(doubled.count == 23 && Set(doubled) == Set(page))
        let strange = try Asked("stranger").ids(limit: 20)
        #expect(strange.ids.count == 22 && Set(page).isSubset(of: strange.ids))
        let rows = strange.root["transactions"].map { Array($0.elements) } ?? []
        #expect(rows.count { $0["accountId"]?.string?.hasPrefix("Wstranger") == true } == 2)
        let spoilt = try Asked("bad:rows=1").ids(limit: 20).root["transactions"].map { Array($0.elements) } ?? []
        #expect(spoilt.count { $0["sourceAmount"]?.string == "12.3.4" } == 1)

        let from = sampleWorld.shape.night(1).adding(seconds: -86_400)
        let query = [(name: "limit", value: "50"), ("from", String(from.description.prefix(19)))]
        let outside = try JSONDocument(try Asked("outside").get(query).body).root["transactions"]
        let old = outside.map { Array($0.elements) }?.count {
            $0["createdAt"]?.string.flatMap { Timestamp($0) }.map { $0 < from } == true
        }
        #expect(old == 2)
        // Nothing lies outside where no window is asked for.
        #expect(try Asked("outside").ids(limit: 20).ids == page)
        #expect(try Asked("silent").walk().isEmpty)
        let total = try Asked("total:off=9").ids().root
        let remaining = total["remaining"]?.integer ?? 0
        #expect(total["totalCount"]?.integer == remaining + 5)
    }

    @Test("row numbers for cursors: an insertion repeats a row, a deletion skips one; keys lose none")
    func drift() throws {
        let all = try Asked("").walk(limit: 2)
        let late = try Asked("offset,insert:after=1:rows=1").walk(limit: 2)
        // The newest is not there at first; then it pushes a row of the first page onto the second.
        let expected: [String] = [all[1], all[2]] + Array(all[2...])
        #expect(late == expected)
        let gone = try Asked("offset,delete:after=1:rows=1").walk(limit: 10)
        #expect(Set(all).subtracting(gone) == [all[10]], "\(gone.count) of \(all.count)")
        let keyed = try Asked("delete:after=1:rows=1").walk(limit: 10)
        #expect(Set(keyed).symmetricDifference(all).isEmpty)
    }

    @Test("rows that are not there yet are not there by id either, until the clock is set")
    func late() throws {
        let all = try Asked("").walk(limit: 50)
        let asked = try Asked("late:rows=4")
        let early = try asked.walk(limit: 50)
        let missing = Set(all).subtracting(early)
        #expect(missing.count == 4)
        for id in missing { #expect(asked.get(path: "/" + id).status == 404) }
        let moment = sampleWorld.shape.night(1).adding(seconds: 1)
        let body = Array("{\"now\":\"\(moment)\"}".utf8)
        _ = asked.api.answer(
            APIRequest(method: "POST", path: "/_sandbox/clock", headers: ["x-sandbox-token": "t"], body: body))
        #expect(Set(try asked.walk(limit: 50)).isSuperset(of: all))
    }

    @Test("faults are set and told through the control, by who holds the token")
    func control() throws {
        let asked = try Asked("")
        func control(_ spec: String?, token: String = "t") -> APIResponse {
            let body = spec.map { Array("{\"spec\":\"\($0)\"}".utf8) } ?? []
            return asked.api.answer(
                APIRequest(
                    method: spec == nil ? "GET" : "POST", path: "/_sandbox/misbehave",
                    headers: ["x-sandbox-token": token], body: body))
        }
        #expect(control("429", token: "x").status == 403)
        #expect(asked.get().status == 200)
        #expect(control("429:times=1").status == 200)
        #expect(asked.get().status == 429 && asked.get().status == 200)
        #expect(control("428").status == 400)
        let tally = try JSONDocument(control(nil).body).root
        let fault = tally["faults"].map { Array($0.elements) }?.first
        #expect(fault?["fault"]?.string == "429:times=1")
        #expect(fault?["seen"]?.integer == 2 && fault?["hits"]?.integer == 1)
        #expect(tally["requests"]?.integer == 3)
    }

    @Test(
        "what is no misbehaviour is refused, and the message says what there is",
        arguments: [
            ("418", "known: 429"), ("stall:length=3", "it has: after"), ("429:after", "name=value"),
            ("429:retry-after=-1", "garbage"), ("cut:times=x", "whole number"), ("empty:on=one", "lists only"),
            ("5xx:status=200", "500 to 599"), ("cut:chance=0", "1 to 100"), ("empty:lie=maybe", "yes or no"),
        ])
    func refusal(text: String, hint: String) {
        let error = #expect(throws: UsageError.self) { try Misbehaviour(text) }
        #expect(error?.description.contains(hint) == true, "\(error?.description ?? "")")
    }

    @Test("what is written is read back the same, and the help names every kind")
    func texts() throws {
        let spec = "429:after=2:retry-after=date,short:rows=3,skew:seconds=-5,cut:times=0:on=all"
        #expect(
            try Misbehaviour(spec).description
                == "429:after=2:retry-after=date,short:rows=3,skew:seconds=-5,cut:times=0:on=all")
        for kind in FaultKind.allCases { #expect(Misbehaviour.help.contains("    \(kind.rawValue) ")) }
    }
}

@Suite struct RowVerificationTests {
    private static let night = sampleWorld.shape.night(1)
    private static var shown: [(id: String, status: String?)] {
        sampleWorld.visible(at: night).map { ($0.id, $0.status(at: night)?.rawValue) }
    }

    @Test("all rows once agree; the quarantined may be missing")
    func agrees() {
        let spoilt = Set(sampleWorld.quarantined)
        let held = Self.shown.filter { !spoilt.contains($0.id) }
        #expect(RowVerification(rows: held, sampleWorld, at: Self.night).agrees)
        #expect(RowVerification(rows: Self.shown, sampleWorld, at: Self.night).agrees)
    }

    @Test("a lost, a doubled, a strange and a stale row are each told by id")
    func differs() throws {
        var held = Self.shown
        let lost = held.remove(at: 3)
        let doubled = held[5]
        held.append(doubled)
        held.append(("Wnowhere", nil))
        held[7].status = "ELSE"
        let result = RowVerification(rows: held, sampleWorld, at: Self.night)
        #expect(result.lost == [lost.id] && result.doubled == [doubled.id] && result.strange == ["Wnowhere"])
        #expect(result.stale.count == 1 && !result.agrees)
        #expect(result.summary.contains("lost 1, doubled 1, strange 1, stale 1"))
    }

    @Test("rows are read from CSV by the names of its columns; a file without ids is refused")
    func file() throws {
        let lines = Self.shown.map { "x,\($0.id),\($0.status ?? "")" }
        let csv = CSVTable(Array((["a,transaction_id,raw_status"] + lines).joined(separator: "\n").utf8))
        #expect(try RowVerification(csv, sampleWorld, at: Self.night).agrees)
        #expect(throws: UsageError.self) {
            try RowVerification(CSVTable(Array("id\nx".utf8)), sampleWorld, at: Self.night)
        }
    }
}
