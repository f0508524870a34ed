import HTTP
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Meld: fields of another shape")
struct MeldDriftTests {
    private static func map(_ members: String) throws -> MappedTransaction {
        try MeldTests.map(#""transactionType":"CRYPTO_PURCHASE","status":"SETTLED","# + members)
    }

    @Test(
        "case 16: a fee of another type is named with path and types",
        arguments: [("{\"amount\":30}", "object"), ("[30]", "array"), ("true", "bool")])
    func fee(text: String, type: String) throws {
        let fault = #expect(throws: RowFault.self) {
            try Self.map(#""orderId":"O","cryptoDetails":{"totalFee":\#(text)}"#)
        }
        #expect(fault?.reason == "type_changed: cryptoDetails.totalFee number->\(type)")
        #expect(fault?.recordID == "W1")
        #expect(fault?.references.map(\.description).contains("meld:order=O") == true)
    }

    @Test("case 16 twin: a fee as number, text or exponent is the same fee; null and empty are not known yet")
    func sameFee() throws {
        let hashes = try ["4.6", "\"4.60\"", "46e-1", "\"460E-2\""].map { text in
            let mapped = try Self.map(#""cryptoDetails":{"totalFee":\#(text)}"#)
            #expect(mapped.feeTotal?.description == "4.6")
            return mapped.contentHash()
        }
        #expect(Set(hashes).count == 1)
        for text in ["null", "\"\""] {
            #expect(try Self.map(#""cryptoDetails":{"totalFee":\#(text)}"#).feeTotal == nil)
        }
    }

    @Test("amounts keep 40 digits on either side of the text; what is no number is a fault that shows no value")
    func digits() throws {
        let long = "1234567890123456789012345678901234567890"
        for text in [long, "\"\(long)\"", long + ".0"] {
            #expect(try Self.map(#""sourceAmount":\#(text)"#).charged?.description == long)
        }
        for text in ["1,000.00", "NaN", "0x10", "12.3.4", "€5"] {
            let fault = #expect(throws: RowFault.self) { try Self.map(#""sourceAmount":"\#(text)""#) }
            #expect(fault?.reason == "sourceAmount: not a number")
        }
        let fault = #expect(throws: RowFault.self) { try Self.map(#""sourceAmount":1e90"#) }
        #expect(fault?.reason == "sourceAmount: beyond supported precision")
    }

    @Test(
        "case 16: containers that turn into text or lists cost their row",
        arguments: ["cryptoDetails", "customer", "paymentDetails"])
    func containers(name: String) throws {
        for (text, type) in [("\"x\"", "string"), ("[]", "array"), ("5", "number")] {
            let fault = #expect(throws: RowFault.self) { try Self.map("\"\(name)\":\(text)") }
            #expect(fault?.reason == "type_changed: \(name) object->\(type)")
        }
        #expect(try Self.map("\"\(name)\":null").transactionID == "W1")
    }

    @Test("a withdrawn or fund currency of the reference data is fiat; a crypto code is not")
    func currencies() throws {
        func direction(_ code: String) throws -> Direction {
            try MeldTests.map(#""status":"SETTLED","sourceCurrencyCode":"\#(code)""#).direction
        }
        for code in ["EUR", "JPY", "BGN", "XCG"] { #expect(try direction(code) == .in, "\(code)") }
        for code in ["BTC", "USDC", "eur"] { #expect(try direction(code) == .out, "\(code)") }
    }
}
