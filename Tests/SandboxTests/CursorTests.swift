import JSON
import Payments
import Testing

@testable import Sandbox

@Suite struct CursorTests {
    private func walk(
        _ api: SimulatedAPI, limit: Int, edge: String, from start: String?, turn: (Int) -> Void
    ) throws -> [(id: String, key: String)] {
        var rows: [(id: String, key: String)] = []
        var cursor = start
        for page in 0..<10_000 {
            turn(page)
            var query = [(name: "limit", value: String(limit))]
            if let cursor { query.append((edge, cursor)) }
            let response = api.answer(
                APIRequest(path: "/payments/transactions", query: query, headers: ["authorization": "BASIC k"]))
            let json = try JSONDocument(response.body).root
            let list = try #require(json["transactions"])
            for row in list.elements { rows.append((row["id"]?.string ?? "", row["key"]?.string ?? "")) }
            let remaining = try #require(json["remaining"]?.integer)
            #expect(json["count"]?.integer == Int64(list.count))
            if remaining == 0 { return rows }
            cursor = edge == "after" ? list.element(list.count - 1)?["key"]?.string : list.element(0)?["key"]?.string
        }
        Issue.record("the walk never ends")
        return rows
    }

    @Test("a walk to older rows meets each row of its start once, while the world grows under it")
    func growing() throws {
        let api = SimulatedAPI(world: sampleWorld, apiKey: Secret("k"), controlToken: Secret("t"))
        let shape = sampleWorld.shape
        let before = sampleWorld.visible(at: shape.night(1)).map(\.id)
        let rows = try walk(api, limit: 100, edge: "after", from: nil) { page in
            // From the third page on it is a night later: rows have appeared and changed status.
            guard page == 2 else { return }
            let body = Array(#"{"now": "\#(shape.night(2))"}"#.utf8)
            _ = api.answer(
                APIRequest(method: "POST", path: "/_sandbox/clock", headers: ["x-sandbox-token": "t"], body: body))
        }
        #expect(Set(rows.map(\.id)).count == rows.count)
        #expect(Set(before).isSubset(of: rows.map(\.id)))
    }

    @Test("a key is the same whatever happened to its row, and the newest first order is total")
    func stable() throws {
        let first = SimulatedAPI(world: sampleWorld, apiKey: Secret("k"), controlToken: Secret("t"))
        let later = SimulatedAPI(
            world: sampleWorld, apiKey: Secret("k"), controlToken: Secret("t"), now: sampleWorld.shape.night(3))
        let keys = try walk(first, limit: 100, edge: "after", from: nil) { _ in }
        let laterKeys = Dictionary(
            uniqueKeysWithValues: try walk(later, limit: 37, edge: "after", from: nil) { _ in }.map { ($0.id, $0.key) })
        for row in keys { #expect(laterKeys[row.id] == row.key) }
        #expect(Set(laterKeys.values).count == laterKeys.count)
        #expect(keys.map(\.id) == sampleWorld.visible(at: sampleWorld.shape.night(1)).map(\.id))
    }

    @Test("before walks from the oldest row back to the newest and meets the same rows")
    func backwards() throws {
        let api = SimulatedAPI(world: sampleWorld, apiKey: Secret("k"), controlToken: Secret("t"))
        let down = try walk(api, limit: 100, edge: "after", from: nil) { _ in }
        let last = try #require(down.last)
        let up = try walk(api, limit: 64, edge: "before", from: last.key) { _ in }
        #expect(Set(up.map(\.id)) == Set(down.dropLast().map(\.id)))
        #expect(up.count == down.count - 1)
    }
}
