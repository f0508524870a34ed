import Foundation
import Payments
import Testing

@Suite("Currencies")
struct CurrencyTests {
    /// The files as they are in the checkout.
    static func published() throws -> CurrencyTable {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "SQL/reference")
        return try CurrencyTable(
            currencies: String(contentsOf: root.appending(path: "currencies.csv"), encoding: .utf8),
            exceptions: String(contentsOf: root.appending(path: "currency_exceptions.csv"), encoding: .utf8))
    }

    @Test(
        "the digits behind the point, as ISO 4217 has them",
        arguments: [
            ("EUR", 2), ("USD", 2), ("GBP", 2), ("JPY", 0), ("KRW", 0), ("ISK", 0), ("UGX", 0), ("VND", 0), ("CLP", 0),
            ("PYG", 0), ("XAF", 0), ("XOF", 0), ("XPF", 0), ("UYI", 0), ("KWD", 3), ("BHD", 3), ("OMR", 3), ("JOD", 3),
            ("TND", 3), ("IQD", 3), ("LYD", 3), ("CLF", 4), ("UYW", 4), ("MGA", 2), ("MRU", 2), ("HUF", 2), ("TWD", 2),
            ("IDR", 2), ("COP", 2), ("XCG", 2), ("ZWG", 2), ("SLE", 2), ("VED", 2),
        ])
    func exponents(code: String, exponent: Int) throws {
        let table = try Self.published()
        #expect(table.isISO(code))
        #expect(table.exponent(code) == exponent)
        #expect(table.name(code)?.isEmpty == false)
    }

    @Test("exactly these currencies have other than two digits")
    func otherThanTwo() throws {
        let table = try Self.published()
        var found: [Int: [String]] = [:]
        for code in table.codes where table.exponent(code) != 2 {
            found[table.exponent(code) ?? -1, default: []] += [code]
        }
        let expected = [
            0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF", 3: "BHD IQD JOD KWD LYD OMR TND",
            4: "CLF UYW",
        ]
        #expect(found == expected.mapValues { $0.split(separator: " ").map(String.init) })
        #expect(table.codes.count > 165)
    }

    @Test(
        "metals, test codes, units of account and crypto assets are no currencies",
        arguments: ["XAU", "XAG", "XTS", "XXX", "XDR", "XUA", "BTC", "USDC", "USDC_BASE", "eur", "EURO", "", "DEM"])
    func noCurrency(code: String) throws {
        let table = try Self.published()
        #expect(!table.isISO(code))
        #expect(table.exponent(code) == nil)
    }

    @Test("a provider's exception counts for that provider alone")
    func exceptions() throws {
        let table = try CurrencyTable(
            currencies: "code,exponent,name\nISK,0,Iceland Krona\nEUR,2,Euro\n",
            exceptions:
                "provider,code,exponent,why\nacme,ISK,2,\"its sheet, section 4, says \"\"cents\"\"\"\nacme,COIN,8,a unit\n"
        )
        #expect(table.exponent("ISK", provider: "acme") == 2)
        #expect(table.exponent("ISK", provider: "meld") == 0)
        #expect(table.exponent("ISK") == 0)
        #expect(table.exponent("EUR", provider: "acme") == 2)
        #expect(table.exponent("COIN", provider: "acme") == 8)
        #expect(table.exponent("COIN", provider: "meld") == nil)
        #expect(!table.isISO("COIN"))
    }

    @Test("case 36: minor units of a three-decimal currency become exact major units")
    func threeDecimals() throws {
        let table = try Self.published()
        let exponent = try #require(table.exponent("KWD"))
        #expect(try ExactDecimal("92000").shiftedDown(by: exponent) == ExactDecimal("92.000"))
        let yen = try #require(table.exponent("JPY"))
        #expect(try ExactDecimal("500").shiftedDown(by: yen) == ExactDecimal("500"))
    }

    @Test(
        "a file with an error is refused whole",
        arguments: [
            "", "code,exponent\n", "code,exponent,name\nEUR,2\n", "code,exponent,name\nEUR,two,Euro\n",
            "code,exponent,name\nEUR,-1,Euro\n", "code,exponent,name\nEUR,19,Euro\n",
            "code,exponent,name\neur,2,Euro\n",
            "code,exponent,name\nEUR,2,Euro\nEUR,2,Euro\n", "code,exponent,name\nEUR,2,\n",
            "code,exponent,name\nEUR,2,\"Euro\n",
        ])
    func refused(text: String) {
        #expect(throws: CurrencyTable.Fault.self) { try CurrencyTable(currencies: text) }
    }
}
