import HTTP
import JSON
import Payments

/// What the answers of all three surfaces have in common.
enum BanxaAnswer {
    /// Statuses besides 2xx that are read here: which code an answer carries says what is wrong.
    static let expectedStatuses: Set<Int> = [400, 401, 403, 404, 410, 422]

    /// Of one order or ramp, and the codes for "order not found".
    private static let unknownOrder = "1"
    /// Nonce not a timestamp, too different, used before: nothing is wrong with the credentials.
    private static let nonceCodes: Set<String> = ["40001", "40002", "40003"]
    private static let nonceIsUsed = "40003"

    /// The body of a good answer. Throws for any other, and for a good one that carries errors.
    static func body(_ response: HTTPResponse) throws(ProviderFault) -> JSONValue {
        guard (200...299).contains(response.status) else { throw fault(response) }
        let root = try Answer.json(response)
        if hasErrors(root) {
            // Asked again at once: a refusal that lasts comes with a status of its own.
            throw .unreadable(
                "errors in an answer of \(response.status)" + (code(root, response).map { " (\($0))" } ?? ""))
        }
        return root
    }

    /// What an answer that is none means.
    static func fault(_ response: HTTPResponse) -> ProviderFault {
        let code = code(response)
        if code == nonceIsUsed { return .unreadable("the nonce was used before (\(nonceIsUsed))") }
        return .refused(status: response.status, code: code)
    }

    /// Whether the answer to a single read says that there is no such record.
    static func isUnknown(_ response: HTTPResponse) -> Bool {
        if [404, 410].contains(response.status) { return true }
        guard [400, 422].contains(response.status), let root = try? JSONDocument(response.body.bytes).root else {
            return false
        }
        return words(root).contains(unknownOrder)
    }

    /// A wrong clock is told by the same statuses as a wrong key.
    static func refusesCredentials(_ response: HTTPResponse) -> Bool {
        [401, 403].contains(response.status) && code(response).map { nonceCodes.contains($0) } != true
    }

    /// An array or an object of errors, or a text; empty ones are none.
    static func hasErrors(_ root: JSONValue) -> Bool {
        guard let errors = root["errors"], !errors.isNull else { return false }
        return errors.isArray || errors.isObject ? errors.count > 0 : errors.scalarText?.isEmpty == false
    }

    private static func code(_ response: HTTPResponse) -> String? {
        (try? JSONDocument(response.body.bytes).root).flatMap { code($0, response) }
    }

    /// The error's own code. The documents swap `status` and `code`: that of HTTP is not the one.
    private static func code(_ root: JSONValue, _ response: HTTPResponse) -> String? {
        let words = words(root)
        return words.first { $0 != String(response.status) && $0.utf8.count != 3 } ?? words.first
    }

    /// What `errors` (an array of objects, or one) and the answer itself give as codes.
    private static func words(_ root: JSONValue) -> [String] {
        let errors = root["errors"]
        let holder = errors?.isArray == true ? errors?.element(0) : errors
        return [holder?["status"], holder?["code"], root["code"]].compactMap { Answer.word($0) }
    }

    /// The rows of a list: `orders`, or `order` as a client's fixture has it, on top or in `data`, or `data` itself.
    static func rows(_ root: JSONValue) throws(ProviderFault) -> [JSONValue] {
        let data = root["data"]
        for holder in [root, data].compactMap(\.self) {
            for name in ["orders", "order"] {
                guard let list = holder[name], !list.isNull else { continue }
                if list.isArray { return Array(list.elements) }
                if list.isObject { return [list] }
                throw .unreadable("`\(name)` is no list")
            }
        }
        if let data, data.isArray { return Array(data.elements) }
        throw .unreadable("no list of orders")
    }

    /// One order or ramp: bare, or in `data`, `order` or both. Nil: null in its place.
    static func single(_ root: JSONValue) throws(ProviderFault) -> JSONValue? {
        var value = root
        for name in ["data", "order", "ramp"] {
            guard value.isObject, value["id"] == nil, let inner = value[name] else { continue }
            value = inner
        }
        if value.isNull { return nil }
        guard value.isObject, value["id"] != nil else { throw .unreadable("no order") }
        return value
    }
}
