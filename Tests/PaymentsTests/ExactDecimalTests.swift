import Payments
import Testing

@Suite("Exact decimals")
struct ExactDecimalTests {
    @Test(
        "every notation of a number gives one normal form",
        arguments: [
            ("1.50", "1.5"), ("15e-1", "1.5"), ("1.5E+3", "1500"), ("-0", "0"), ("0.00", "0"), ("1E-8", "0.00000001"),
            ("007", "7"), ("+3", "3"), ("-12.50", "-12.5"), ("2557.68", "2557.68"), ("1.10", "1.1"),
        ])
    func normalForm(text: String, normal: String) throws {
        #expect(try ExactDecimal(text).description == normal)
    }

    @Test(
        "what is no number is refused",
        arguments: ["", "-", ".", "1.", ".5", "12.3.4", "1,5", "12abc", "NaN", "Infinity", "1e", "0x10", " 1", "1 "])
    func refused(text: String) {
        #expect(throws: ExactDecimal.Fault.notANumber) { try ExactDecimal(text) }
    }

    @Test("case 39: eighteen-decimal assets and 256-bit integers stay exact, larger ones are refused")
    func eighteenDecimals() throws {
        let minor = try ExactDecimal("10000000000000000001")
        #expect(try minor.shiftedDown(by: 18).description == "10.000000000000000001")
        let largest = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
        #expect(try ExactDecimal(largest).description == largest)
        #expect(
            try ExactDecimal(largest).shiftedDown(by: 18).description
                == "115792089237316195423570985008687907853269984665640564039457.584007913129639935")
        #expect(throws: ExactDecimal.Fault.beyondPrecision) { try ExactDecimal(largest + "0") }
        #expect(throws: ExactDecimal.Fault.beyondPrecision) { try ExactDecimal("1e9999") }
        #expect(throws: ExactDecimal.Fault.beyondPrecision) { try ExactDecimal("1e-9999") }
    }

    @Test(
        "a value is the same however it was written, at the edge of what fits a machine word and beyond",
        arguments: [
            ("999999999999999999", "9.99999999999999999e17"), ("1000000000000000000", "1e18"),
            ("0.000000000000000001", "1e-18"), ("0.0000000000000000001", "1e-19"),
            ("1.000000000000000001", "1000000000000000001e-18"), ("123456789.123456789", "123456789123456789e-9"),
            ("-0.1", "-1e-1"), ("100", "1e2"), ("0", "0e5"),
        ])
    func canonical(plain: String, scientific: String) throws {
        let (a, b) = (try ExactDecimal(plain), try ExactDecimal(scientific))
        #expect(a == b && a.hashValue == b.hashValue && a.description == plain && b.description == plain)
        #expect(try ExactDecimal(plain + (plain.contains(".") ? "000" : ".000")) == a)
        let shown = plain.split(separator: ".").map { $0.utf8.filter { $0 != 45 }.map { $0 - 48 } }
        #expect(a.integerDigits == Array(shown[0].drop { $0 == 0 }))
        #expect(a.fractionDigits == (shown.count > 1 ? shown[1] : []))
    }

    @Test("case 57: 0, 0.00 and −0 are one value")
    func zeros() throws {
        #expect(try ExactDecimal("0") == ExactDecimal("0.00"))
        #expect(try ExactDecimal("-0") == ExactDecimal("0"))
        #expect(try ExactDecimal("-0.01") != ExactDecimal("0.01"))
    }
}
