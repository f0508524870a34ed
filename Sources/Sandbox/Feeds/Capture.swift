import Crypto
package import Payments

/// Writes deliveries as the merchant's capture files do: one JSON object a line, the body byte for byte.
package enum Capture {
    /// `base64url(HMAC-SHA256(secret, timestamp + "." + URL + "." + body))`, padded.
    package static func signature(timestamp: String, url: String, body: [UInt8], secret: Secret) -> String {
        let message = Array("\(timestamp).\(url).".utf8) + body
        return Base64.encode(HMACCode.sha256(key: secret, message: message), alphabet: .url)
    }

    /// One night's file, in an order that is mostly that of arrival.
    package static func lines(_ deliveries: [Delivery], secret: Secret, seed: UInt64) -> [UInt8] {
        var order = Array(deliveries.indices)
        var random = Randomness(seed: seed, 5, UInt64(deliveries.count))
        // Several workers write one file: neighbours swap places.
        for index in order.indices.dropFirst() where random.chance(perMille: 120) { order.swapAt(index, index - 1) }
        var json = JSONText()
        json.reserve(deliveries.count * 1_100)
        for index in order {
            write(deliveries[index], secret: secret, random: &random, to: &json)
            json.endLine()
        }
        return json.bytes
    }

    private static func write(
        _ delivery: Delivery, secret: Secret, random: inout Randomness, to json: inout JSONText
    ) {
        // The signature's own time is the sending time, renewed with every attempt.
        let stamp = delivery.receivedAt.description
        let key = delivery.isForged ? Secret("somebody else's key") : secret
        let signature = signature(timestamp: stamp, url: Names.webhookURL, body: delivery.body, secret: key)
        let upper = random.chance(perMille: 100)
        let base64 = random.chance(perMille: 30)
        json.object {
            $0.text("receivedAt", delivery.receivedAt.description)
            $0.text("method", "POST")
            $0.text("url", Names.webhookURL)
            $0.object("headers") {
                $0.text("content-type", "application/json")
                $0.text(upper ? "Meld-Signature" : "meld-signature", signature)
                $0.text(upper ? "Meld-Signature-Timestamp" : "meld-signature-timestamp", stamp)
                if let reason = delivery.retryReason {
                    $0.text("Meld-Retry-Count", String(delivery.retry))
                    $0.text("Meld-Retry-Reason", reason)
                }
            }
            if base64 {
                $0.text("rawBodyBase64", Base64.encode(delivery.body))
            } else {
                $0.text("rawBody", String(decoding: delivery.body, as: UTF8.self))
            }
        }
    }
}
