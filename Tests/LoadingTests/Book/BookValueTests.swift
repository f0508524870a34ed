import Loading
import Payments
import Testing

@Suite("Values of book files, by the short way and by the long one")
struct BookValueTests {
    let fixture: FileFixture

    init() throws { fixture = try FileFixture() }

    /// Loads one row for each value of a column; returns which were taken, and as what.
    private func load(_ values: [String], as column: String) throws -> [String] {
        let lines = values.enumerated().map { index, value in
            column == "amount"
                ? "A-\(index + 10),meld-live,open,\(value),eur,2026-08-10T12:00:00Z"
                : "A-\(index + 10),meld-live,open,1,eur,\(value)"
        }
        let text = (["order_id,source,status,amount,currency,created_at"] + lines).joined(separator: "\n")
        let path = try fixture.write(text, to: "orders.csv")
        _ = try BookLoader(fixture.context(), fixture.connection).load(path: path)
        let shown = column == "amount" ? "amount::text" : "tieout.moment(created_at)"
        return try fixture.rows("order_id, \(shown)) from tieout.book_order order by order_id")
    }

    @Test("moments: canonical ones, other offsets, leap days and fine fractions are read; no day or hour that is none")
    func moments() throws {
        let good = [
            "2026-08-10T12:00:00Z", "2026-08-10T12:00:00.500Z", "2026-08-10T12:00:00.500000Z",
            "2026-08-10T14:00:00+02:00", "2026-08-10 12:00:00+00", "2024-02-29T00:00:00Z",
            "2026-08-10T12:00:00.1234567Z", "2026-08-31T23:59:59Z",
        ]
        let bad = [
            "2026-13-10T12:00:00Z", "2026-00-10T12:00:00Z", "2026-08-32T12:00:00Z", "2026-02-29T12:00:00Z",
            "2026-08-10T24:00:00Z", "2026-08-10T12:60:00Z", "2026-08-10T12:00:61Z", "0000-08-10T12:00:00Z",
            "2026-08-10T12:00:00x500Z", "2026-08-10T12:0:000Z", "2026-08-10T12:00:00", "20260-8-10T12:00:00Z",
            "2026-08-10T12:00:000000.00Z", "2026-08-00T12:00:00Z",
        ]
        #expect(
            try load(good + bad, as: "created_at") == [
                "A-10|1786363200000000", "A-11|1786363200500000", "A-12|1786363200500000", "A-13|1786363200000000",
                "A-14|1786363200000000", "A-15|1709164800000000", "A-16|1786363200123456", "A-17|1788220799000000",
            ])
        #expect(try fixture.count("quarantine") == Int64(bad.count))
    }

    @Test("amounts: plain numbers of any length are exact; no exponents, second points, bare points or blanks inside")
    func amounts() throws {
        let long = String(repeating: "9", count: 40) + ".25"
        let good = ["0", "12.50", "+3.10", "007", "0.000000000000000001", long, " 4.5 "]
        let bad = [".5", "5.", "1.2.3", "1e3", "1 000", "-", "٣", ".", "NaN"]
        #expect(
            try load(good + bad, as: "amount") == [
                "A-10|0", "A-11|12.50", "A-12|3.10", "A-13|7", "A-14|0.000000000000000001", "A-15|\(long)", "A-16|4.5",
            ])
        #expect(try fixture.count("quarantine") == Int64(bad.count))
        #expect(try fixture.rows("currency) from tieout.book_order limit 1") == ["EUR"])
    }
}
