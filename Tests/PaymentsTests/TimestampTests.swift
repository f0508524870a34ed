import Payments
import Testing

@Suite("Moments")
struct TimestampTests {
    @Test(
        "RFC 3339 in every width of fraction and offset",
        arguments: [
            ("1970-01-01T00:00:00Z", Int64(0)), ("2026-08-10T12:00:03Z", 1_786_363_203_000_000),
            ("2026-08-10T12:00:04.118392Z", 1_786_363_204_118_392),
            ("2026-08-10T14:00:03+02:00", 1_786_363_203_000_000),
            ("2026-08-10 12:00:03.1Z", 1_786_363_203_100_000),
            ("2026-08-10T12:00:04.118392999Z", 1_786_363_204_118_392),
            ("1969-12-31T23:59:59.5Z", -500_000), ("2024-02-29T00:00:00Z", 1_709_164_800_000_000),
        ])
    func parsed(text: String, microseconds: Int64) {
        #expect(Timestamp(text)?.microseconds == microseconds)
    }

    @Test(
        "impossible or ambiguous moments are refused",
        arguments: [
            "", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-08-10T24:00:00Z", "2026-08-10T12:00:03",
            "2026-08-10", "0000-00-00T00:00:00Z", "2026-08-10T12:00:03.Z", "2026-08-10T12:00:03Zx",
        ])
    func refused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("seconds of an outside source are a moment between 1970 and 9999, and nothing beyond it")
    func unixSeconds() {
        #expect(Timestamp(unixSeconds: 0)?.description == "1970-01-01T00:00:00Z")
        #expect(Timestamp(unixSeconds: 1_786_363_203)?.description == "2026-08-10T12:00:03Z")
        #expect(Timestamp(unixSeconds: 253_402_300_799)?.description == "9999-12-31T23:59:59Z")
        for seconds in [-1, 253_402_300_800, 9_223_372_036_855, Int64.max, Int64.min] {
            #expect(Timestamp(unixSeconds: seconds) == nil)
        }
    }

    @Test("text and value are inverse")
    func inverse() {
        for microseconds in [0, -1, 1_786_363_204_118_392, 253_402_300_799_000_000, -62_135_596_800_000_000] as [Int64]
        {
            let moment = Timestamp(microseconds: microseconds)
            #expect(Timestamp(moment.description) == moment)
        }
    }
}
