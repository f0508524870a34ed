import HTTP
import Payments
import Providers
import TestSupport
import Testing

@testable import JobRunner

@Suite("What check says of a source's answer")
struct ProbeVerdictTests {
    private static func source(_ settings: String) throws -> PreparedSource {
        let text =
            "{accounts: {a: {sources: {\"one\": {environment: \"live\", api_key: {env: \"KEY\"}, \(settings)}}}}}"
        let account = try Configuration.read(
            text: text, file: "tieout.json5", directory: ".", environment: ["KEY": "a-key", "S": "a-secret"]
        ).accounts[0]
        return try SourceSet(account: account, root: Checkout.root).all[0]
    }

    private static func verdict(_ status: Int, _ body: String = "", _ settings: String) throws -> ProbeVerdict {
        let answer = HTTPResponse(status: status, headers: HTTPHeaders([]), body: HTTPBody(Array(body.utf8)))
        return ProbeVerdict(answer, of: try source(settings))
    }

    private static let dlocal =
        "provider: \"dlocal\", secrets: {trans_key: {env: \"S\"}, secret_key: {env: \"S\"}}"
    private static let banxa = "provider: \"banxa\", options: {partner_ref: \"acme\"}"

    @Test("refused credentials: everything that may be wrong is named, and nothing that is not there")
    func refused() throws {
        let dlocal = try Self.verdict(400, #"{"code":5000,"message":"Invalid request"}"#, Self.dlocal)
        #expect(!dlocal.isGood && dlocal.what.contains("refused (400)"))
        for name in ["`api_key`", "`secret_key`", "`trans_key`"] { #expect(dlocal.advice.contains(name), "\(name)") }
        let meld = try Self.verdict(401, "", "provider: \"meld\"")
        #expect(meld.advice == "check `api_key`, and that it belongs to environment live")
    }

    @Test("404 names the options that make the address; a failure says to try later, another refusal does not")
    func address() throws {
        let banxa = try Self.verdict(404, "", Self.banxa)
        #expect(!banxa.isGood && banxa.advice.contains("`options.partner_ref`") && !banxa.advice.contains("later"))
        #expect(try Self.verdict(404, "", "provider: \"meld\"").advice.contains("`api_base`"))
        #expect(try Self.verdict(503, "", Self.banxa).advice.contains("later"))
        #expect(try !Self.verdict(422, "", Self.banxa).advice.contains("later"))
    }

    @Test("a good answer is good and needs no advice; a source that cannot be asked has no probe")
    func good() throws {
        let good = try Self.verdict(200, "{}", Self.banxa)
        #expect(good.isGood && good.advice.isEmpty)
        let native = "provider: \"banxa\", secrets: {api_secret: {env: \"S\"}}, options: {surface: \"native\"}"
        #expect(try Self.source(native).provider.probe == nil)
        #expect(try Self.source(Self.banxa).provider.probe != nil)
    }
}
