import Payments
import Postgres
import TestSupport
import Testing

@Suite("values on the way out and back")
struct ValueTests {
    @Test("every bound value comes back as it was, with its own type")
    func roundTrip() throws {
        let connection = try TestDatabase.empty().connection()
        func back(_ value: SQLValue) throws -> Row { try connection.query("select $1 as v", [value]).only() }
        #expect(try back(true).bool("v"))
        #expect(try back(false).bool("v") == false)
        #expect(try back(.int(Int64.min)).int("v") == Int64.min)
        #expect(try back("O'Hara \\ \"x\"\n€😀").text("v") == "O'Hara \\ \"x\"\n€😀")
        #expect(try back("").text("v") == "")
        #expect(try back(.bytes([0, 1, 255])).bytes("v") == [0, 1, 255])
        #expect(try back(.bytes([])).bytes("v") == [])
        #expect(try back(.date("2024-02-29")).date("v") == "2024-02-29")
        #expect(try back(.date("1969-12-31")).date("v") == "1969-12-31")
        #expect(try back(.json("{\"a\": 120.10}")).text("v") == "{\"a\": 120.10}")
        #expect(try back(.interval("36 hours")).text("v") == "PT36H")
        #expect(try back(.textArray(["a", "", "c,\"{}"])).textArray("v") == ["a", "", "c,\"{}"])
        #expect(try back(.textArray([])).textArray("v") == [])
        #expect(try back(.intArray([1, -2])).intArray("v") == [1, -2])
        #expect(try connection.query("select $1::text as v", [nil]).only().optionalText("v") == nil)
    }

    @Test("moments are exact to the microsecond, before 1970 and before 2000 too")
    func moments() throws {
        let connection = try TestDatabase.empty().connection()
        for text in ["1969-12-31T23:59:59.999999Z", "1999-12-31T23:59:59Z", "2026-08-10T12:00:03.000001Z"] {
            let moment = try #require(Timestamp(text))
            let sql = "select $1 as v, $1 = $2::timestamptz as same, ($1 at time zone 'UTC') as plain"
            let row = try connection.query(sql, [.timestamp(moment), .text(text)]).only()
            #expect(try row.timestamp("v") == moment)
            #expect(try row.timestamp("plain") == moment)
            #expect(try row.bool("same"))
        }
    }

    @Test("arrays of bytes and moments can be matched by any()")
    func arrays() throws {
        let connection = try TestDatabase.empty().connection()
        let moment = Timestamp(seconds: 1_000_000_000)
        let sql = "select 'x'::bytea = any($1) as a, '2001-09-09T01:46:40Z'::timestamptz = any($2) as b"
        let hit = try connection.query(sql, [.bytesArray([[0x78], []]), .timestampArray([moment])]).only()
        #expect(try hit.bool("a") && hit.bool("b"))
        let miss = try connection.query(sql, [.bytesArray([[0x79]]), .timestampArray([])]).only()
        #expect(try !miss.bool("a") && !miss.bool("b"))
    }

    @Test("columns of every stored type are read whatever the session's settings are")
    func decoders() throws {
        let connection = try TestDatabase.empty().connection()
        try connection.script(
            "set datestyle = 'German'; set timezone = 'Asia/Tokyo'; set intervalstyle = 'sql_standard'")
        let sql =
            "select 7::smallint a, 8::int b, 'n'::name c, 'v'::varchar d, '0b6e2f0a-9d2c-4f0e-8b1a-0123456789ab'::uuid e, '{\"k\":1}'::json f"
            + ", '2026-08-10 12:00+02'::timestamptz g, '1 mon 2 days 03:04:05.5'::interval h, '-90 minutes'::interval i, date '2026-08-10' j"
        let row = try connection.query(sql).only()
        #expect(try row.int("a") == 7 && row.int("b") == 8)
        #expect(try row.decimal("b").description == "8")
        let texts = try "cdefghij".map { try row.text(String($0)) }
        #expect(
            texts == [
                "n", "v", "0b6e2f0a-9d2c-4f0e-8b1a-0123456789ab", "{\"k\":1}", "2026-08-10T10:00:00Z", "P1M2DT3H4M5.5S",
                "PT-1H-30M", "2026-08-10",
            ])
        #expect(try row.text(4) == row.text("e"))
    }

    @Test("a null, a wrong type, a missing column and an infinity are errors that name the column only")
    func mismatches() throws {
        let connection = try TestDatabase.empty().connection()
        let sql =
            "select null::int as gone, 'secret' as word, 'infinity'::timestamptz as never, 'infinity'::date as day, array[null]::text[] as holes"
        let row = try connection.query(sql).only()
        func message(_ body: () throws -> Void) -> String {
            do {
                try body()
                return "no error"
            } catch { return "\(error)" }
        }
        #expect(message { _ = try row.int("gone") } == "database result: column gone is null")
        #expect(message { _ = try row.int("word") } == "database result: column word (text) is not an integer")
        #expect(message { _ = try row.int("nowhere") } == "database result: the result has no column nowhere")
        #expect(message { _ = try row.int(9) } == "database result: the result has no column 9")
        #expect(message { _ = try row.timestamp("never") }.contains("column never (timestamptz) is not a moment"))
        #expect(message { _ = try row.date("day") }.contains("column day"))
        #expect(message { _ = try row.textArray("holes") }.contains("column holes"))
        #expect(try row.optionalInt("gone") == nil)
        #expect(try row.isNull("gone") && !row.isNull("word"))
    }

    @Test(
        "dates that do not exist are refused before they are sent",
        arguments: ["2026-02-29", "2026-1-1", "tomorrow", "0000-01-01"])
    func impossibleDates(text: String) throws {
        let connection = try TestDatabase.empty().connection()
        let error = #expect(throws: PostgresError.self) { try connection.query("select $1", [.date(text)]) }
        #expect(error?.kind == .usage)
    }
}
