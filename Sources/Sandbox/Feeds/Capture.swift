import Crypto
import Payments

/// Writes deliveries as the merchant's capture files do: one JSON object a line, the body byte for byte.
package enum Capture {
    /// One night's file of one source, in an order that is mostly that of arrival.
    static func lines(_ deliveries: [Delivery], of provider: any SimulatedProvider, seed: UInt64) -> [UInt8] {
        var order = Array(deliveries.indices)
        var random = Randomness(seed: seed, 5, UInt64(deliveries.count))
        // Several workers write one file: neighbours swap places.
        for index in order.indices.dropFirst() where random.chance(perMille: 120) { order.swapAt(index, index - 1) }
        var json = JSONText()
        json.reserve(deliveries.count * 1_100)
        for index in order {
            write(deliveries[index], of: provider, random: &random, to: &json)
            json.endLine()
        }
        return json.bytes
    }

    private static func write(
        _ delivery: Delivery, of provider: any SimulatedProvider, random: inout Randomness, to json: inout JSONText
    ) {
        let source = provider.source
        let key =
            delivery.isForged
            ? Secret("somebody else's key") : provider.webhookSecret(of: delivery.trade.map { source.trades[$0] })
        let capitals = random.chance(perMille: 100)
        let base64 = random.chance(perMille: 30)
        let headers = provider.headers(of: delivery, signedWith: key, capitals: capitals)
        json.object {
            $0.text("receivedAt", delivery.receivedAt.description)
            $0.text("method", "POST")
            $0.text("url", source.webhookURL)
            $0.object("headers") {
                $0.text("content-type", "application/json")
                for (name, value) in headers { $0.text(name, value) }
            }
            if base64 {
                $0.text("rawBodyBase64", Base64.encode(delivery.body))
            } else {
                $0.text("rawBody", String(decoding: delivery.body, as: UTF8.self))
            }
        }
    }
}
