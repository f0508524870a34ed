import Crypto
import Foundation
import JSON
import Loading
import Payments
import Providers
import TestSupport

@testable import JobRunner
@testable import Sandbox

extension Check {
    static let sheets = [
        Check(name: "signature vectors") { provider in
            guard let sheet = try Sheet(provider) else { return .failed("Fixtures/\(provider).json is missing") }
            let vectors = sheet.entries("vectors")
            if vectors.isEmpty { return .notApplicable("the sheet has none") }
            return verdict(try vectors.compactMap { try fault(of: $0, provider) })
        },
        Check(name: "examples") { provider in
            guard let sheet = try Sheet(provider) else { return .failed("Fixtures/\(provider).json is missing") }
            let examples = sheet.entries("examples")
            if examples.isEmpty { return .failed("no example") }
            return verdict(try examples.compactMap { try Subject(provider, $0).fault(ofExample: $0) })
        },
        Check(name: "redaction list") { provider in
            guard let sheet = try Sheet(provider) else { return .failed("Fixtures/\(provider).json is missing") }
            let paths = sheet.entries("redacted")
            if paths.isEmpty { return .failed("no path") }
            return verdict(try paths.compactMap { try Subject(provider, $0).fault(ofRedaction: $0) })
        },
    ]

    private static func fault(of vector: JSONValue, _ provider: String) throws -> String? {
        let what = vector["what"]?.string ?? "a vector"
        guard let scheme = try Subject(provider, vector).provider.webhooks else {
            return "\(what): it has no webhooks"
        }
        guard let moment = vector["received_at"]?.string.flatMap({ Timestamp($0) }),
            let body = vector["body"]?.string, let expected = vector["verdict"]?.string
        else { return "\(what): incomplete" }
        let headers = vector["headers"].map { $0.members.compactMap { name, value in value.string.map { (name, $0) } } }
        let delivery = WebhookDelivery(
            receivedAt: moment, url: vector["url"]?.string ?? "", headers: headers ?? [], body: Array(body.utf8))
        let found = scheme.check(delivery).verdict.rawValue
        return found == expected ? nil : "\(what): \(found) and not \(expected)"
    }
}

/// A provider's mappings, as its sandbox's configuration makes them.
struct Subject {
    let provider: any Provider

    /// `entry`: webhook secrets (`secrets`), `options`, an `api_key` and an `environment` that take the place of the
    /// configuration's.
    init(_ name: String, _ entry: JSONValue? = nil) throws {
        let configuration = try Setup.configuration(of: name)
        var options = configuration.options
        for (name, value) in entry?["options"].map({ Array($0.members) }) ?? [] { options[name] = value.string }
        let secrets = entry?["secrets"].map { $0.elements.compactMap(\.string).map { Secret($0) } }
        let catalogue = try required(Catalogue.entry(configuration.provider), "the provider")
        func text(_ path: String) throws -> String {
            try String(contentsOfFile: Checkout.root + "/" + path, encoding: .utf8)
        }
        provider = try catalogue.make(
            ProviderOptions(
                environment: entry?["environment"]?.string ?? configuration.environment.rawValue,
                apiBase: configuration.apiBase,
                apiKey: entry?["api_key"]?.string.map { Secret($0) } ?? configuration.apiKey,
                secrets: configuration.secrets, webhookSecrets: secrets ?? configuration.webhookSecrets,
                options: options),
            ProviderReference(
                statusMap: try StatusMap(csv: text(Catalogue.statusMapPath(catalogue.name))),
                currencies: try CurrencyTable(currencies: text(Catalogue.currenciesPath))))
    }

    /// Whether a row, or an event where no resource is named, is told from those of the other mode.
    func fault(ofMode entry: JSONValue) -> String? {
        let what = entry["what"]?.string ?? "a mode"
        guard let element = entry["element"], let expected = entry["is_test"]?.boolValue else {
            return "\(what): incomplete"
        }
        do throws(RowFault) {
            let found: Bool
            if let name = entry["resource"]?.string {
                guard let mapping = provider.resource(named: name)?.mapping else {
                    return "\(what): no resource \(name)"
                }
                found = try mapping.map(element).isTest
            } else {
                guard let scheme = provider.webhooks else { return "\(what): it has no webhooks" }
                let bytes = Array(element.sourceBytes)
                let delivery = WebhookDelivery(
                    receivedAt: Timestamp(seconds: 1_800_000_000), url: "", headers: [], body: bytes)
                found = try scheme.event(delivery, root: element, bodyDigest: Digest.sha256(bytes)).isTest
            }
            return found == expected ? nil : "\(what): test \(found) and not \(expected)"
        } catch {
            return "\(what): \(error)"
        }
    }

    func fault(ofExample example: JSONValue) -> String? {
        let what = example["what"]?.string ?? "an example"
        guard let element = example["element"] else { return "\(what): no element" }
        if let name = example["resource"]?.string {
            guard let mapping = provider.resource(named: name)?.mapping else { return "\(what): no resource \(name)" }
            do throws(RowFault) {
                let mapped = try mapping.map(element)
                return mapped.unmappedPaths.isEmpty
                    ? nil : "\(what): nobody knows \(mapped.unmappedPaths.joined(separator: ", "))"
            } catch {
                return "\(what): \(error)"
            }
        }
        do throws(RowFault) {
            guard let scheme = provider.webhooks else { return "\(what): it has no webhooks" }
            let bytes = Array(element.sourceBytes)
            let delivery = WebhookDelivery(
                receivedAt: Timestamp(seconds: 1_800_000_000), url: "", headers: [], body: bytes)
            _ = try scheme.event(delivery, root: element, bodyDigest: Digest.sha256(bytes))
            return nil
        } catch {
            return "\(what): \(error)"
        }
    }

    /// Puts a text that stands out at the path, whatever lies above it, and looks for it in what is kept. `value`: a text
    /// that must not be kept where another one may be.
    func fault(ofRedaction entry: JSONValue) -> String? {
        guard let path = entry["path"]?.string else { return "an entry without a path" }
        let marker = entry["value"]?.string ?? "personal-7c1f"
        let parts = path.split(separator: ".").map(String.init)
        let inner = parts.reversed().reduce("\"\(marker)\"") { text, part in
            part.hasSuffix("[]") ? "{\"\(part.dropLast(2))\":[\(text)]}" : "{\"\(part)\":\(text)}"
        }
        guard let element = try? JSONDocument(Array(inner.utf8)).root else { return "\(path): no path" }
        let redaction: Redaction
        if let name = entry["resource"]?.string {
            guard let mapping = provider.resource(named: name)?.mapping else { return "\(path): no resource \(name)" }
            redaction = mapping.redaction
        } else {
            guard let scheme = provider.webhooks else { return "\(path): it has no webhooks" }
            redaction = scheme.redaction(ofKind: entry["kind"]?.string)
        }
        var kept: [UInt8] = []
        redaction.forEachKeptSpan(of: element) { kept += $0 }
        let isKept = String(decoding: kept, as: UTF8.self).contains(marker)
        return isKept ? "\(entry["resource"]?.string ?? "event") \(path) is kept" : nil
    }
}
