import Payments
import Testing

@testable import Sandbox

@Suite struct RowBytesTests {
    private func set(_ name: String, _ value: String, _ row: String, inserts: Bool = false) -> String {
        String(decoding: RowBytes.set(name, to: value, in: Array(row.utf8), inserts: inserts), as: UTF8.self)
    }

    @Test(
        "a member gets another value wherever it stands, whatever value it had",
        arguments: [
            (#"{"a":1,"b":2}"#, #"{"a":9,"b":2}"#), (#"{"x":{"a":"\"a\":1"},"a":null}"#, #"{"x":{"a":9},"a":9}"#),
            (#"{"a":{"b":[1,{"a":2}]},"c":"}"}"#, #"{"a":9,"c":"}"}"#),
            (#"[{"a" : true},{"a":[]}]"#, #"[{"a" : 9},{"a":9}]"#),
        ])
    func replaced(row: String, result: String) { #expect(set("a", "9", row) == result) }

    @Test("text that only looks like the member is left alone; a missing member comes in where it is asked for")
    func others() {
        #expect(set("a", "9", #"{"b":"a","c":"\"a\":1"}"#) == #"{"b":"a","c":"\"a\":1"}"#)
        #expect(set("a", "9", #"{"b":1}"#, inserts: true) == #"{"a":9,"b":1}"#)
        #expect(set("a", "9", "{}", inserts: true) == #"{"a":9}"#)
        #expect(set("a", "9", "7", inserts: true) == "7")
    }

    @Test("a member of a member is set within the objects of that name alone")
    func nested() {
        #expect(set("a.b", "9", #"{"b":1,"a":{"b":2,"c":3},"d":{"b":4}}"#) == #"{"b":1,"a":{"b":9,"c":3},"d":{"b":4}}"#)
        #expect(
            set("a.b", "9", #"{"d":{"a":{"c":1}},"a":{"b":2}}"#, inserts: true) == #"{"d":{"a":{"c":1}},"a":{"b":9}}"#)
        #expect(set("a.b", "9", #"{"a":"b","c":1}"#) == #"{"a":"b","c":1}"#)
        #expect(set("a.b", "9", #"{"c":1}"#, inserts: true) == #"{"a":{"b":9},"c":1}"#)
    }
}

@Suite struct APIRequestTests {
    @Test("path and query are decoded as a server does, and kept as they were sent")
    func target() {
        let request = APIRequest(target: "/v1/a%20b+c?x=1&list%5B%5D=a,b&empty=&flag&x=2+3", headers: [("X-Key", "v")])
        #expect(request.path == "/v1/a b+c" && request.parts == ["v1", "a b+c"])
        #expect(request.target == "/v1/a%20b+c?x=1&list%5B%5D=a,b&empty=&flag&x=2+3")
        #expect(request.query.map(\.name) == ["x", "list[]", "empty", "flag", "x"])
        #expect(
            request.value("x") == "1" && request.values("x") == ["1", "2 3"] && request.values("list[]") == ["a", "b"])
        #expect(request.value("flag") == "" && request.value("none") == nil)
        #expect(request.headers["x-key"] == "v")
    }

    @Test("moments are written as providers write them")
    func times() {
        let moment = Timestamp(microseconds: 1_785_499_205_123_456)
        #expect(WireTime.plain(moment) == "2026-07-31 12:00:05")
        #expect(WireTime.milliseconds(moment) == "2026-07-31T12:00:05.123Z")
        #expect(WireTime.milliseconds(moment, ending: "+0000") == "2026-07-31T12:00:05.123+0000")
        #expect(WireTime.seconds(moment) == 1_785_499_205)
        #expect(WireTime.day("2026-07-31")?.description == "2026-07-31T00:00:00Z" && WireTime.day("31.07.2026") == nil)
    }
}
