import Foundation
import JSON
import Payments
import TestSupport

/// What a provider's fact sheet gives to hold it against, as `Fixtures/<provider>.json`:
///
/// - `vectors`: deliveries with `what`, `secrets`, `url`, `headers`, `body`, `received_at` and the `verdict` they must get;
/// - `examples`: `what`, the `resource` (or `event`) and its `element`, which must be mapped without an unknown field;
/// - `redacted`: `resource` (or `event`) and a `path` below which nothing may be kept.
///
/// An entry may carry `options` and an `api_key` of its own in place of those of the sandbox's configuration.
struct Sheet {
    let root: JSONValue

    init?(_ provider: String) throws {
        let path = Checkout.root + "/Tests/ConformanceTests/Fixtures/\(provider).json"
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        root = try JSONDocument(Array(data)).root
    }

    func entries(_ name: String) -> [JSONValue] { root[name].map { Array($0.elements) } ?? [] }
}
