import Crypto
import Foundation

/// The skeleton of every page: `Reports/theme/page.html` with the style sheet inside it. The content security policy
/// allows that one style by its digest and nothing else: no script, no request, no form, no frame.
struct PageWriter {
    private let skeleton: String
    private let style: String
    private let policy: String

    init(root: String) throws(ReportingError) {
        skeleton = try Self.read("\(root)/Reports/theme/page.html")
        style = try Self.read("\(root)/Reports/theme/theme.css")
        let digest = Base64.encode(Digest.sha256(Array(style.utf8)))
        policy = "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'none'"
    }

    /// The whole page.
    func page(title: String, body: HTML) -> String {
        var result = ""
        var rest = skeleton[...]
        while let open = rest.firstRange(of: "{{"), let close = rest.firstRange(of: "}}") {
            result += rest[..<open.lowerBound]
            switch rest[open.upperBound..<close.lowerBound] {
            case "title": result += HTML.escaped(title)
            case "policy": result += policy
            case "style": result += style
            case "body": result += body.text
            default: break
            }
            rest = rest[close.upperBound...]
        }
        return result + rest
    }

    private static func read(_ path: String) throws(ReportingError) -> String {
        guard let data = try? Data(contentsOf: URL(filePath: path)), let text = String(validating: data, as: UTF8.self)
        else { throw .definition(path: path, reason: "cannot be read") }
        return text
    }
}
