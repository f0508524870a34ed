import Crypto
import Payments
import Testing

@Suite("Message authentication codes")
struct HMACTests {
    struct Vector: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        let sha256: String
        let sha512: String
    }

    /// RFC 4231, cases 1, 2, 3, 4, 6 and 7.
    static let vectors = [
        Vector(
            key: [UInt8](repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
            sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            sha512: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
        Vector(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            sha512: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
        Vector(
            key: [UInt8](repeating: 0xaa, count: 20), message: [UInt8](repeating: 0xdd, count: 50),
            sha256: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            sha512: "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
                + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"),
        Vector(
            key: Array(1...25), message: [UInt8](repeating: 0xcd, count: 50),
            sha256: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
            sha512: "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
                + "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd"),
        Vector(
            key: [UInt8](repeating: 0xaa, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            sha512: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"),
        Vector(
            key: [UInt8](repeating: 0xaa, count: 131),
            message: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
            sha256: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            sha512: "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
                + "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58"),
    ]

    @Test("the vectors of RFC 4231", arguments: vectors)
    func published(vector: Vector) {
        #expect(Hex.encode(HMACCode.sha256(key: vector.key, message: vector.message)) == vector.sha256)
        #expect(Hex.encode(HMACCode.sha512(key: vector.key, message: vector.message)) == vector.sha512)
    }

    struct Delivery: Sendable {
        let secret: Secret
        let url: String
        let timestamp: String
        let body: String
        let signature: String
    }

    /// Meld's own published sample and two deliveries of a composed history, one of them a retry.
    static let deliveries = [
        Delivery(
            secret: Secret("42m4NMLS34WQ6BbMfo1KFKqMv4hy"), url: "https://example.meld.io/webhooks",
            timestamp: "2022-05-26T20:25:17.682818Z",
            body: #"{"eventType":"WEBHOOK_TEST","eventId":"GDtv8pQgwzc9HuFFBQFrww","#
                + #""timestamp":"2022-05-26T20:23:45.908400Z","accountId":"W9jpQc1HKvwscqMPcLmzUS","profileId":null,"#
                + #""version":"2021-10-27","payload":{"requestId":"7aWW1GXTjWCCtNubzvVX7V"}}"#,
            signature: "O4bN5E0U9s88l2DFc0kjt-0w3LLA3Zkv8hXhafc22Hg="),
        Delivery(
            secret: Secret("fake-webhook-secret-01"), url: "https://recon.example.com/hooks/meld",
            timestamp: "2026-08-10T12:00:04.377120Z",
            body: #"{"eventType":"TRANSACTION_CRYPTO_PENDING","eventId":"kTcRMzUd1VdNKsYcZM6XuP","#
                + #""timestamp":"2026-08-10T12:00:04.201000Z","accountId":"Wq9e4NyPL6ojvpjxhtkBLy","#
                + #""profileId":"W1jE7zpiwGNhzRH5tveZdg","version":"2026-05-01","payload":{"#
                + #""requestId":"4e78151b0d833609480c6f3de6cf8d08","accountId":"Wq9e4NyPL6ojvpjxhtkBLy","#
                + #""paymentTransactionId":"WenwLJd95gyjJVbMv9K3yo","customerId":"W25DSsMDC5wEDPs6Hyxrtt","#
                + #""externalCustomerId":"fake-user-42","transactionType":"CRYPTO_PURCHASE","#
                + #""paymentTransactionStatus":"PENDING_CREATED"}}"#,
            signature: "uKVvle-HyduoJvatdbJ-hMoFyqCkAZXw1snMR-sDZwM="),
        Delivery(
            secret: Secret("fake-webhook-secret-01"), url: "https://recon.example.com/hooks/meld",
            timestamp: "2026-08-10T12:07:45.001200Z",
            body: #"{"eventType":"TRANSACTION_CRYPTO_COMPLETE","eventId":"aAPrDWfPD3LMoaL9Jgeour","#
                + #""timestamp":"2026-08-10T12:06:41.950000Z","accountId":"Wq9e4NyPL6ojvpjxhtkBLy","#
                + #""profileId":"W1jE7zpiwGNhzRH5tveZdg","version":"2026-05-01","payload":{"#
                + #""requestId":"af921ebae797a6124068d650e68b3079","accountId":"Wq9e4NyPL6ojvpjxhtkBLy","#
                + #""paymentTransactionId":"WenwLJd95gyjJVbMv9K3yo","customerId":"W25DSsMDC5wEDPs6Hyxrtt","#
                + #""externalCustomerId":"fake-user-42","transactionType":"CRYPTO_PURCHASE","#
                + #""paymentTransactionStatus":"SETTLED","sessionId":"Ws5orSXghAHEfWNuhD5aKy","#
                + #""headlessOrderId":"WqDC4uqG9QGQ2UyJ2mJuGY"}}"#,
            signature: "81zgr20laeYXdnX2GaCiWIQES-8bubg5cn0lT4EoCJQ="),
    ]

    @Test("Meld's signatures: url-safe base64 with padding over TIMESTAMP.URL.BODY", arguments: deliveries)
    func meld(delivery: Delivery) {
        let message = Array("\(delivery.timestamp).\(delivery.url).\(delivery.body)".utf8)
        let code = HMACCode.sha256(key: delivery.secret, message: message)
        #expect(Base64.encode(code, alphabet: .url) == delivery.signature)
        let claimed = Base64.decode(delivery.signature, alphabet: .url)
        #expect(claimed.map { constantTimeEqual($0, code) } == true)
        #expect(HMACCode.sha256(key: delivery.secret, message: message + [32]) != code)
        #expect(HMACCode.sha256(key: Secret("another"), message: message) != code)
    }

    @Test("one scheduled key signs many messages, in parts, as the plain call does", arguments: vectors)
    func scheduled(vector: Vector) {
        guard let text = String(validating: vector.key, as: UTF8.self) else { return }
        let key = HMACKey(sha256: Secret(text))
        for _ in 0..<2 {
            #expect(Hex.encode(key.code([vector.message[...]])) == vector.sha256)
            let split = vector.message.count / 2
            let parts = [vector.message[..<split], [], vector.message[split...]]
            #expect(Hex.encode(key.code(parts)) == vector.sha256)
            vector.message.withUnsafeBytes { bytes in
                let front = UnsafeRawBufferPointer(rebasing: bytes[..<split])
                let back = UnsafeRawBufferPointer(rebasing: bytes[split...])
                #expect(Hex.encode(key.code(front, back)) == vector.sha256)
            }
        }
    }

    @Test("an empty key and an empty message are signed, not skipped")
    func empty() {
        let expected = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
        #expect(Hex.encode(HMACCode.sha256(key: Secret(""), message: [])) == expected)
        #expect(Hex.encode(HMACKey(sha256: Secret("")).code([])) == expected)
    }

    @Test("the constant-time comparison says what == says")
    func comparison() {
        #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEqual([1, 2, 3], [1, 2, 4]))
        #expect(!constantTimeEqual([1, 2, 3], [1, 2]))
        #expect(constantTimeEqual([], []))
    }
}
