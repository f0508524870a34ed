import JSON
package import Payments

/// The body of a control request, `{"now": "2026-06-11T02:30:00Z"}` or `{"spec": "429:times=3"}`.
package enum ControlBody {
    package static func moment(_ body: [UInt8]) -> Timestamp? {
        guard let document = try? JSONDocument(body), let text = document.root["now"]?.string else { return nil }
        return Timestamp(text)
    }

    package static func specification(_ body: [UInt8]) -> String? {
        (try? JSONDocument(body))?.root["spec"]?.string
    }
}
