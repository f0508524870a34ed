import Payments
import Postgres
import TestSupport
import Testing

@Suite("exact numbers over the binary wire")
struct NumericCodingTests {
    /// Edges: group borders of 10 000, both signs, the finest and the largest supported values.
    static let edges: [String] = [
        "0", "-0", "0.0", "1", "-1", "9", "10", "9999", "10000", "10001", "99999999", "100000000", "0.1", "0.01",
        "0.001", "0.0001", "0.00001", "0.9999", "0.99999", "1.0001", "1.00001", "10000.0001", "120.10", "1.50",
        "0.000000000000000001", "0.00000000000000000000000000000000000" + "1", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "3500000000000", "2147483648",
        "99999999990000000", "1e18", "1E-18", "15e-1", "12345678901234567890.123456789012345678",
        String(repeating: "9", count: 78), "-" + String(repeating: "9", count: 78),
        String(repeating: "9", count: 78) + "." + String(repeating: "9", count: 36), "1e77", "1e-36", "-1e-36",
        "10000000000000000000.00000001", "100000000.00000000000001", "0.00010000", "0.000000010000",
    ]

    /// Random digits of every length, with runs of zeros, from a fixed seed.
    static func random(count: Int) -> [String] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func next(_ limit: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % limit
        }
        return (0..<count).map { _ in
            let whole = (0..<Int(next(79))).map { _ in next(3) == 0 ? "0" : String(next(10)) }.joined()
            let fraction = (0..<Int(next(37))).map { _ in next(3) == 0 ? "0" : String(next(10)) }.joined()
            let sign = next(2) == 0 ? "-" : ""
            return sign + (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
        }
    }

    @Test("binary COPY stores exactly what the server reads from the same text, for edges and 20 000 random values")
    func encoding() throws {
        let texts = Self.edges + Self.random(count: 20_000)
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        try connection.script("create table t (n int, by_copy numeric, source text)")
        let stored = try connection.copyIn("t", columns: ["n", "by_copy", "source"]) { writer in
            for (number, text) in texts.enumerated() {
                try writer.row()
                try writer.write(number)
                try writer.write(ExactDecimal(text))
                try writer.write(ExactDecimal(text).description)
            }
        }
        #expect(stored == texts.count)
        // Equal as numbers, and with the same digits behind the point.
        let differing = "select n from t where by_copy <> source::numeric or by_copy::text <> source::numeric::text"
        #expect(try connection.query(differing).map { try $0.int(0) } == [])
    }

    @Test("a bound number is exactly the number of the same text")
    func binding() throws {
        let connection = try TestDatabase.empty().connection()
        for text in Self.edges + Self.random(count: 300) {
            let value = try ExactDecimal(text)
            let row = try connection.query("select $1::text, $1 = $2::numeric", [.decimal(value), .text(text)]).only()
            #expect(try row.text(0) == value.description)
            #expect(try row.bool(1))
        }
    }

    @Test("a number is read with every digit, as text with its own scale")
    func decoding() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        let texts = Self.edges + Self.random(count: 5000)
        let sql =
            "select t::numeric as value, t::numeric::text as shown from unnest($1::text[]) with ordinality u(t, n) order by n"
        var index = 0
        var differing: [String] = []
        try connection.stream(sql, [.textArray(texts)]) { row in
            let value = try row.decimal("value")
            let isRight = try value == ExactDecimal(texts[index]) && row.text("value") == row.text("shown")
            if !isRight { differing.append(texts[index]) }
            index += 1
        }
        #expect(differing == [])
        #expect(index == texts.count)
    }

    @Test(
        "scales that only the server can make are shown as it shows them",
        arguments: ["120.10", "0.00", "-0.10", "1000000000000.0000000000", "0.000000000000000000000000", "5.00000"])
    func scales(text: String) throws {
        let connection = try TestDatabase.empty().connection()
        let row = try connection.query("select $1::text::numeric", [.text(text)]).only()
        #expect(try row.text(0) == text)
        #expect(try row.decimal(0) == ExactDecimal(text))
    }

    @Test(
        "what is no exact number is refused, not rounded",
        arguments: [
            "'NaN'::numeric", "'Infinity'::numeric", "1.5::float8", "1.5::float4", "1e100::numeric", "1e-40::numeric",
        ])
    func refused(expression: String) throws {
        let connection = try TestDatabase.empty().connection()
        let row = try connection.query("select \(expression) as amount").only()
        let error = #expect(throws: PostgresError.self) { try row.decimal("amount") }
        #expect(error?.kind == .decoding)
        #expect(error?.message.contains("amount") == true)
    }

    @Test("case 28: amounts and sums far beyond 32 and 64 bits are exact")
    func bigTotals() throws {
        let database = try TestDatabase.empty()
        let connection = try database.connection()
        try connection.script("create table t (amount numeric)")
        for text in ["3500000000000", "2147483648"] {
            let value = try connection.query("select $1 * 1", [.decimal(ExactDecimal(text))]).only().decimal(0)
            #expect(value.description == text)
        }
        // Ten million rows of 9 999 999 999, a hundred thousand of them stored and counted a hundred times.
        let amount = try ExactDecimal("9999999999")
        try connection.copyIn("t", columns: ["amount"]) { writer in
            for _ in 0..<100_000 {
                try writer.row()
                try writer.write(amount)
            }
        }
        let sums = try connection.query(
            "select sum(amount) * 100 as total, sum(amount) * 10000000000000 as beyond from t")
        #expect(try sums.only().decimal("total").description == "99999999990000000")
        // 9 999 999 990 000 000 × 10^12 needs 93 bits.
        #expect(try sums.only().decimal("beyond").description == "9999999999000000000000000000")
    }
}
