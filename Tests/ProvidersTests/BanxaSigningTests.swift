import Crypto
import HTTP
import Payments
import Testing

@testable import Providers

@Suite("Banxa's signatures")
struct BanxaSigningTests {
    @Test(
        "the vectors of the documents and of the PHP client's tests hold",
        arguments: [
            (
                "accessKeySecret", "GET", "foo/bar", "-1", nil,
                "f4fb557cc803ebeef51b6062389b7143602fa0c076eb8542385a570cba09ef3a"
            ),
            (
                "accessKeySecret", "POST", "foo/bar", "-1", #"{"test":"data"}"#,
                "dc0327c28375f930d145cd2545e1fc68f40d008ffbdd80d4f807d4c20d3ef6d3"
            ),
            (
                "sk_demo_9b7e2d", "GET", "/eapi/v0/ramps/0c1d2e3f405162738495a6b7c8d9eafb", "1796000000123", nil,
                "aba1dad3287bca9483f141b3c3b95cfd588655aa5a7f31b57e1f40cd15f05730"
            ),
            (
                "sk_demo_9b7e2d", "GET", "/api/orders?start_date=2026-11-01&end_date=2026-11-30&per_page=200&page=1",
                "1796000000456", nil, "6e1fc4d5922b964c1c16dfe04003ddb488c26af7fb69776fd94fee1be07c728f"
            ),
            (
                "sk_demo_9b7e2d", "POST", "/hooks/banxa", "1796000000789",
                #"{"order_id":"0c1d2e3f405162738495a6b7c8d9eafb","status":"FULFILLED"}"#,
                "4f86ca1ad3892655308b6683cdc9112cf0434028d27218eb0cc9ef201db7aefd"
            ),
        ] as [(String, String, String, String, String?, String)])
    func vectors(secret: String, method: String, path: String, nonce: String, body: String?, signature: String) {
        let message = BanxaSignature.message(
            method: method, path: path, nonce: nonce, body: body.map { Array($0.utf8) })
        #expect(BanxaSignature.make(Secret(secret), message) == signature)
    }

    private func moment(_ milliseconds: Int64) -> SigningMoment {
        SigningMoment(
            now: Timestamp(microseconds: milliseconds * 1000), uniqueMilliseconds: milliseconds,
            random: [UInt8](repeating: 7, count: 16))
    }

    @Test("a request is signed with its path and query as sent and a nonce of its own for each attempt")
    func requests() throws {
        let banxa = try BanxaScene.banxa(.native)
        let signer = try #require(banxa.signer)
        let request = try #require(banxa.payments.reader?.request(for: ReadAsk(id: "0c1d2e3f405162738495a6b7c8d9eafb")))
        #expect(request.secretHeaders.isEmpty)
        let first = try signer.sign(request, at: moment(1_796_000_000_123))
        #expect(first.secretHeaders.map(\.name) == ["Authorization"])
        #expect(
            first.secretHeaders.first?.value.reveal()
                == "Bearer pk_demo:aba1dad3287bca9483f141b3c3b95cfd588655aa5a7f31b57e1f40cd15f05730:1796000000123")
        let again = try signer.sign(first, at: moment(1_796_000_000_124))
        #expect(again.secretHeaders.count == 1)
        #expect(again.secretHeaders.first?.value.reveal().hasSuffix(":1796000000124") == true)
        #expect(again.secretHeaders.first?.value != first.secretHeaders.first?.value)
        var list = HTTPRequest(
            url: "https://api.banxa.com/api/orders?start_date=2026-11-01&end_date=2026-11-30&per_page=200&page=1")
        list = try signer.sign(list, at: moment(1_796_000_000_456))
        #expect(
            list.secretHeaders.first?.value.reveal().contains(
                ":6e1fc4d5922b964c1c16dfe04003ddb488c26af7fb69776fd94fee1be07c728f:") == true)
    }

    @Test("v2 sends its key in x-api-key and signs nothing; no request carries both")
    func keys() throws {
        let banxa = try BanxaScene.banxa(.v2)
        #expect(banxa.signer == nil)
        let request = try #require(banxa.probe)
        #expect(request.secretHeaders.map(\.name) == ["x-api-key"])
        #expect(request.secretHeaders.first?.value.reveal() == "pk_demo")
        #expect(try BanxaScene.banxa(.native).probe == nil)
        #expect(try BanxaScene.banxa(.legacy).probe?.secretHeaders.isEmpty == true)
    }

    @Test("a refused key is told from a wrong clock, whichever way round status and code stand")
    func refusals() throws {
        let banxa = try BanxaScene.banxa(.legacy)
        func refuses(_ status: Int, _ body: String) -> Bool {
            banxa.refusesCredentials(BanxaScene.response(status, body))
        }
        #expect(refuses(401, #"{"errors":[{"status":"40103","code":"401","title":"Not authorized"}]}"#))
        #expect(refuses(401, #"{"errors":{"title":"x","code":40100,"detail":"y"}}"#))
        #expect(refuses(403, ""))
        for code in ["40001", "40002", "40003"] {
            #expect(!refuses(401, #"{"errors":[{"status":"401","code":"\#(code)"}]}"#))
        }
        #expect(!refuses(422, #"{"errors":[{"status":"40103"}]}"#))
        #expect(
            BanxaAnswer.fault(BanxaScene.response(401, #"{"errors":[{"status":"40103","code":"401"}]}"#))
                == .refused(status: 401, code: "40103"))
        #expect(
            BanxaAnswer.fault(BanxaScene.response(401, #"{"errors":{"code":"40002"}}"#))
                == .refused(status: 401, code: "40002"))
        guard case .unreadable = BanxaAnswer.fault(BanxaScene.response(401, #"{"errors":{"code":40003}}"#)) else {
            Issue.record("a nonce that was used is asked again with another")
            return
        }
    }

    @Test(
        "a mistake in the options is named",
        arguments: [
            (["surface": "v3", "partner_ref": "p"], "surface"), ([:], "partner_ref"),
            (["partner_ref": "a/b"], "partner_ref"), (["partner_ref": "p", "page_limit": "201"], "page_limit"),
            (["partner_ref": "p", "page_limit": "many"], "page_limit"),
        ] as [([String: String], String)])
    func options(options: [String: String], name: String) {
        do throws(ProviderConfigurationFault) {
            _ = try BanxaConfiguration(BanxaScene.options(options))
            Issue.record("a fault expected")
        } catch {
            #expect(error.description.hasPrefix("banxa: ") && error.description.contains(name))
        }
    }

    @Test("what a surface needs must be there: a key without line breaks, a secret where requests are signed")
    func needs() throws {
        func fault(_ change: (inout ProviderOptions) -> Void) -> String? {
            var options = BanxaScene.options(["surface": "native"])
            change(&options)
            do throws(ProviderConfigurationFault) { _ = try BanxaConfiguration(options) } catch {
                return error.description
            }
            return nil
        }
        #expect(fault { _ in } == nil)
        #expect(fault { $0.secrets = [:] }?.contains("api_secret") == true)
        #expect(fault { $0.apiKey = nil }?.contains("API key") == true)
        #expect(fault { $0.apiKey = Secret("a\nb") }?.contains("line breaks") == true)
        #expect(fault { $0.apiKey = Secret("a:b") }?.contains("colon") == true)
        #expect(fault { $0.environment = "production" }?.contains("environment") == true)
        #expect(
            fault {
                $0.options = ["surface": "v2", "partner_ref": "p"]; $0.secrets = [:]
            } == nil)
    }
}
