import Crypto
import Foundation
import JSON
import Payments
import TestSupport
import Testing

@testable import Providers

/// The conformance sheet of a provider: its examples, what of them must not be kept, and its signed deliveries.
struct Sheet {
    let root: JSONValue
    let entry: Catalogue.Entry

    init(_ name: String) throws {
        entry = try #require(Catalogue.entry(name))
        let path = Checkout.root + "/Tests/ConformanceTests/Fixtures/\(name).json"
        root = try JSONDocument([UInt8](try Data(contentsOf: URL(filePath: path)))).root
    }

    func entries(_ name: String) -> [JSONValue] { root[name].map { Array($0.elements) } ?? [] }

    /// A provider of real money, so that what belongs into a sandbox stands out; made once for all examples with the same
    /// options.
    func forEachExample(_ body: (JSONValue, any Provider) throws -> Void) throws {
        var made: [String: any Provider] = [:]
        for example in entries("examples") {
            let options = String(decoding: example["options"]?.sourceBytes ?? [], as: UTF8.self)
            let provider = try made[options] ?? provider(example)
            made[options] = provider
            try body(example, provider)
        }
    }

    private func provider(_ example: JSONValue) throws -> any Provider {
        var options = ["partner_ref": "acme"]
        for (name, value) in example["options"].map({ Array($0.members) }) ?? [] { options[name] = value.string }
        let key = Secret(Base64.encode(try CoinbaseSample.seed()))
        let secrets = (example["secrets"].map { Array($0.elements) } ?? []).compactMap(\.string).map { Secret($0) }
        func text(_ path: String) throws -> String {
            try String(contentsOfFile: Checkout.root + "/" + path, encoding: .utf8)
        }
        return try entry.make(
            ProviderOptions(
                environment: "live", apiKey: Secret(entry.name == "push" ? "pcsk_production_pub1.priv1" : "a-key"),
                secrets: Dictionary(uniqueKeysWithValues: entry.secretNames.map { ($0, key) }),
                webhookSecrets: secrets, options: options),
            ProviderReference(
                statusMap: try StatusMap(csv: try text(Catalogue.statusMapPath(entry.name))),
                currencies: try CurrencyTable(currencies: try text(Catalogue.currenciesPath))))
    }

    /// The example itself, the example with other things in the place of each of its values, and with what must not be
    /// kept put into it.
    func variants(of example: JSONValue) throws -> [JSONValue] {
        let element = try #require(example["element"])
        let document = try JSONDocument(Array(element.sourceBytes)).root
        var texts = [Array(document.sourceBytes)]
        var place = 0
        document.forEachLeaf { _, leaf in
            for other in [Self.person, Self.others[place % Self.others.count]] {
                texts.append(Self.replacing(leaf.sourceRange, in: document, by: other))
            }
            place += 1
        }
        for entry in entries("redacted") where entry["resource"]?.string == example["resource"]?.string {
            guard let path = entry["path"]?.string else { continue }
            for secret in Self.secrets {
                if let planted = Self.plant(path.split(separator: ".").map(String.init)[...], secret, document) {
                    texts.append(planted)
                }
            }
        }
        return try texts.map { try JSONDocument($0, unreadable: .mark).root }
    }

    private static let person = #""sandbox-jane@example.com""#
    private static let others = [
        #""Jane Doe""#, #""sandbox\u002djane\u0040example.com""#, #""a\u0062c9""#, #"{"x":"Jane Doe"}"#,
        #"["Jane Doe"]"#, "7", "null",
    ]
    private static let secrets = [#""Jane Doe""#, #"{"a":{"b":"Jane"}}"#, #"[{"a":"Jane"},[1]]"#]

    private static func replacing(_ range: Range<Int>, in document: JSONValue, by other: String) -> [UInt8] {
        let bytes = Array(document.sourceBytes)
        return bytes[..<range.lowerBound] + Array(other.utf8) + bytes[range.upperBound...]
    }

    /// Nil where the path leads through what is no object.
    private static func plant(_ path: ArraySlice<String>, _ secret: String, _ document: JSONValue) -> [UInt8]? {
        var rest = path
        var at = document
        while rest.count > 1, let first = rest.first {
            let name = String(first.hasSuffix("[]") ? first.dropLast(2) : first[...])
            guard let next = at[name] else { break }
            at = next.isArray ? next.element(0) ?? next : next
            rest = rest.dropFirst()
        }
        guard at.isObject, let name = rest.first else { return nil }
        if rest.count == 1, let there = at[name] { return replacing(there.sourceRange, in: document, by: secret) }
        let inner = rest.reversed().reduce(secret) { text, part in
            part.hasSuffix("[]") ? "{\"\(part.dropLast(2))\":[\(text)]}" : "{\"\(part)\":\(text)}"
        }
        // The new member goes first.
        let start = at.sourceRange.lowerBound
        return replacing(start..<start + 1, in: document, by: inner.dropLast() + (at.count > 0 ? "," : ""))
    }
}

@Suite("Kept bytes read as the original ones")
struct KeptBytesTests {
    static let names = Catalogue.entries.map(\.name)

    private enum Outcome: Equatable {
        case mapped(MappedTransaction), refused(RowFault)

        init(_ mapping: any ElementMapping, _ element: JSONValue) {
            do throws(RowFault) { self = .mapped(try mapping.map(element)) } catch { self = .refused(error) }
        }
    }

    @Test("a row is the same, and equal to itself, when it is mapped from what is kept of it", arguments: names)
    func rows(name: String) throws {
        let sheet = try Sheet(name)
        var count = 0
        try sheet.forEachExample { example, provider in
            guard let resource = example["resource"]?.string else { return }
            let mapping = try #require(provider.resource(named: resource)).mapping
            for variant in try sheet.variants(of: example) {
                let kept = try JSONDocument(mapping.redaction.kept(variant).bytes, unreadable: .mark).root
                count += 1
                if Outcome(mapping, kept) == Outcome(mapping, variant),
                    RawHash.of(kept, mapping) == RawHash.of(variant, mapping), mapping.redaction.kept(kept).cut == 0
                {
                    continue
                }
                let text = String(decoding: variant.sourceBytes, as: UTF8.self)
                #expect(Outcome(mapping, kept) == Outcome(mapping, variant), "\(resource) \(text)")
                #expect(RawHash.of(kept, mapping) == RawHash.of(variant, mapping), "\(resource) \(text)")
                #expect(mapping.redaction.kept(kept).cut == 0, "\(resource) \(text)")
            }
        }
        #expect(count > 20)
    }

    @Test("an event is the same when it is read from what is kept of its body and of its headers", arguments: names)
    func events(name: String) throws {
        let sheet = try Sheet(name)
        let vectors = sheet.entries("vectors")
        var count = 0
        try sheet.forEachExample { example, provider in
            guard example["event"] != nil else { return }
            let scheme = try #require(provider.webhooks)
            for variant in try sheet.variants(of: example) {
                // How often it was tried is no part of what it says.
                let headers = (vectors.first?["headers"].map { Array($0.members) } ?? [])
                    .compactMap { name, value in value.string.map { (name: name, value: $0) } }
                    .filter { $0.name != "meld-retry-count" }
                let delivery = WebhookDelivery(
                    receivedAt: Timestamp(seconds: 1_800_000_000), url: "https://a.example/hook", headers: headers,
                    body: Array(variant.sourceBytes))
                guard let event = try? scheme.event(delivery, bodyDigest: [7]) else { continue }
                var kept = delivery
                kept.body = scheme.redaction(ofKind: event.kind).kept(variant).bytes
                kept.headers = scheme.signatureHeaders.compactMap { name in
                    delivery.header(name).map { (name, scheme.kept(header: name, $0)) }
                }
                count += 1
                let again = try? scheme.event(kept, bodyDigest: [7])
                if again != event { #expect(again == event, "\(String(decoding: variant.sourceBytes, as: UTF8.self))") }
            }
        }
        // One without events has no example of any.
        #expect(count > 20 || !sheet.entries("examples").contains { $0["event"] != nil })
    }

    @Test(
        "what nobody documents and calls itself a person's is kept of no row and of no event, of whatever type",
        arguments: names)
    func personal(name: String) throws {
        let planted =
            #"{"zz_new":{"more":[{"full_name":"Jane","phoneNumber":"Jane","ip_address":{"a":"Jane"},"billingAddress":["Jane"]}]},"lastName":"Jane","#
        var count = 0
        try Sheet(name).forEachExample { example, provider in
            guard let element = example["element"], element.isObject, element.count > 0 else { return }
            let text = planted + String(decoding: element.sourceBytes, as: UTF8.self).dropFirst()
            let variant = try JSONDocument(text).root
            var redactions = provider.resources.map(\.mapping.redaction)
            if let webhooks = provider.webhooks {
                redactions += [nil, "NEW_TYPE", "payment.new"].map(webhooks.redaction(ofKind:))
            }
            for redaction in redactions {
                count += 1
                #expect(!String(decoding: redaction.kept(variant).bytes, as: UTF8.self).contains("Jane"))
            }
        }
        #expect(count > 4)
    }
}
