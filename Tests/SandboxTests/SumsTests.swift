import JSON
import Payments
import Testing

@testable import Sandbox

@Suite struct SumsTests {
    /// An exact amount from a JSON number's own digits, scientific or not.
    private func amount(_ text: String) throws -> Amount {
        let number = try ExactDecimal(text)
        var units: Int128 = 0
        for digit in number.integerDigits + number.fractionDigits { units = units * 10 + Int128(digit) }
        for _ in number.fractionDigits.count..<18 { units *= 10 }
        return Amount(units: units)
    }

    @Test("the truth's sums are those of the digits on the pages, the quarantined row left out")
    func sums() throws {
        let last = sampleWorld.shape.night(3)
        let api = SimulatedAPI(world: sampleWorld, apiKey: Secret("k"), controlToken: Secret("t"), now: last)
        var sums: [String: Amount] = [:]
        var spoilt: [String] = []
        var cursor: String?
        repeat {
            var query = [(name: "limit", value: "100")]
            if let cursor { query.append(("after", cursor)) }
            let request = APIRequest(
                path: "/payments/transactions", query: query,
                headers: ["authorization": "BASIC k", "meld-version": "2026-05-01"])
            let list = try #require(try JSONDocument(api.answer(request).body).root["transactions"])
            for row in list.elements {
                if row[path: "cryptoDetails.networkFee"]?.isObject == true {
                    spoilt.append(row["id"]?.string ?? "")
                    continue
                }
                for side in ["source", "destination"] {
                    guard let text = row["\(side)Amount"]?.numberText, let code = row["\(side)CurrencyCode"]?.string
                    else { continue }
                    let direction = row["transactionType"]?.string == "CRYPTO_SELL" ? "out" : "in"
                    sums["\(side) \(direction) \(code)", default: .zero] += try amount(text)
                }
            }
            cursor = list.count < 100 ? nil : list.element(99)?["key"]?.string
        } while cursor != nil
        #expect(spoilt == sampleWorld.quarantined)
        let truth = TruthFile.sums(sampleWorld, at: last)
        #expect(truth.count == sums.count)
        for sum in truth { #expect(sums["\(sum.side) \(sum.direction.rawValue) \(sum.currency)"] == sum.sum) }
        #expect(truth.contains { $0.sum.plain.split(separator: ".").last?.count == 18 })
    }
}
