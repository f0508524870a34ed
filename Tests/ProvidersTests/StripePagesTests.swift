import HTTP
import JSON
import Payments
import Testing

@testable import Providers

@Suite("Stripe: requests and pages")
struct StripePagesTests {
    typealias S = StripeSample

    @Test("the key is the user name of HTTP Basic with an empty password, as in the sheet's vector")
    func authorization() throws {
        let lister = try #require(try S.stripe().payments.lister)
        let request = lister.request(for: PageAsk(from: nil, to: nil, limit: 100))
        #expect(request.secretHeaders.first?.name == "Authorization")
        #expect(request.secretHeaders.first?.value.reveal() == "Basic c2tfdGVzdF9leGFtcGxlOg==")
        #expect(request.url == "https://api.stripe.com/v1/crypto/onramp_sessions?limit=100")
        #expect(!request.headers.contains { $0.name == "Stripe-Version" })
        let versioned = try #require(
            try S.stripe(["stripe_version": "2026-08-26.dahlia;crypto_onramp_beta=v2"]).payments.lister)
        #expect(
            versioned.request(for: PageAsk(from: nil, to: nil, limit: 1)).headers
                .contains { $0.name == "Stripe-Version" && $0.value == "2026-08-26.dahlia;crypto_onramp_beta=v2" })
    }

    @Test("case 2: both bounds are whole seconds and inclusive; the position is the last id")
    func query() throws {
        let lister = try #require(try S.stripe().payments.lister)
        let ask = PageAsk(
            from: Timestamp(microseconds: 1_767_225_600_400_000), to: Timestamp(microseconds: 1_767_225_600_400_000),
            cursor: "cos_a/b", limit: 500)
        #expect(
            lister.request(for: ask).url
                == "https://api.stripe.com/v1/crypto/onramp_sessions?limit=100&created%5Bgte%5D=1767225600&created%5Blte%5D=1767225601&starting_after=cos_a%2Fb"
        )
        let events = try #require(try S.stripe().events)
        #expect(
            events.pages.request(for: PageAsk(from: Timestamp(seconds: 7), to: nil, limit: 10)).url
                == "https://api.stripe.com/v1/events?limit=10&created%5Bgte%5D=7&type=crypto.onramp_session.updated")
    }

    @Test("a page leads on by its last row while there is more, and says so where there is not")
    func pages() throws {
        let lister = try #require(try S.stripe().payments.lister)
        let ask = PageAsk(from: nil, to: nil, limit: 2)
        func list(_ rows: String, _ more: String) -> HTTPResponse {
            S.response(200, "{\"object\":\"list\",\"url\":\"/v1/x\",\"has_more\":\(more),\"data\":[\(rows)]}")
        }
        let rows = "{\"id\":\"cos_2\",\"created\":1785499201},{\"id\":\"cos_1\",\"created\":1785499200}"
        let first = try lister.page(from: list(rows, "true"), to: ask)
        #expect(first.facts.next == "cos_1")
        #expect(!first.facts.saysEnd)
        #expect(
            first.facts.rows.map(\.createdAt) == [Timestamp(seconds: 1_785_499_201), Timestamp(seconds: 1_785_499_200)])
        let last = try lister.page(from: list(rows, "false"), to: ask)
        #expect(last.facts.next == nil)
        #expect(last.facts.saysEnd)
        let empty = try lister.page(from: list("", "false"), to: ask)
        #expect(empty.facts.rows.isEmpty && empty.facts.saysEnd)
        // A row without an id still counts, and the one before it leads on.
        let odd = try lister.page(from: list(rows + ",{\"created\":5}", "true"), to: ask)
        #expect(odd.facts.rows.count == 3)
        #expect(odd.facts.next == "cos_1")
    }

    @Test("an answer that is no list is no page; a vanished position is told from a refused request")
    func refusals() throws {
        let lister = try #require(try S.stripe().payments.lister)
        var ask = PageAsk(from: nil, to: nil, limit: 2)
        for text in [
            "[]", "{\"data\":{},\"has_more\":true}", "{\"data\":[]}", "{\"data\":[],\"has_more\":\"no\"}", "{",
            "{\"data\":[],\"has_more\":true}", "{\"data\":[{}],\"has_more\":true}",
        ] {
            #expect(throws: ProviderFault.self) { try lister.page(from: S.response(200, text), to: ask) }
        }
        let missing =
            "{\"error\":{\"code\":\"resource_missing\",\"message\":\"No such onramp session: 'cos_missing'\",\"param\":\"starting_after\",\"type\":\"invalid_request_error\"}}"
        #expect(throws: ProviderFault.refused(status: 400, code: "resource_missing")) {
            try lister.page(from: S.response(400, missing), to: ask)
        }
        ask.cursor = "cos_missing"
        #expect(throws: ProviderFault.cursorRejected) { try lister.page(from: S.response(400, missing), to: ask) }
        #expect(throws: ProviderFault.cursorRejected) { try lister.page(from: S.response(404, missing), to: ask) }
        let events = try #require(try S.stripe().events)
        #expect(throws: ProviderFault.cursorRejected) { try events.pages.page(from: S.response(404, missing), to: ask) }
    }

    @Test("a session is read by its id; one that is missing is nothing, any other refusal is one")
    func single() throws {
        let reader = try #require(try S.stripe().payments.reader)
        #expect(
            reader.request(for: ReadAsk(id: "cos_1/x"))?.url
                == "https://api.stripe.com/v1/crypto/onramp_sessions/cos_1%2Fx")
        #expect(reader.request(for: ReadAsk(id: nil)) == nil)
        func ids(_ status: Int, _ text: String) throws -> [String] {
            guard
                case .elements(let elements) = try reader.answer(
                    from: S.response(status, text), to: ReadAsk(id: "cos_1"))
            else { return ["another one"] }
            return elements.compactMap { $0["id"]?.string }
        }
        let error = "{\"error\":{\"code\":\"resource_missing\",\"param\":\"id\",\"type\":\"invalid_request_error\"}}"
        #expect(try ids(200, S.session()) == ["cos_1RfA0001ExampleAAAA"])
        #expect(try ids(404, error) == [])
        #expect(try ids(400, error) == [])
        #expect(throws: ProviderFault.refused(status: 400, code: "parameter_unknown")) {
            try ids(400, "{\"error\":{\"code\":\"parameter_unknown\"}}")
        }
        #expect(throws: ProviderFault.refused(status: 400, code: nil)) {
            try ids(400, "{\"error\":{\"message\":\"No such thing: 'x'\"}}")
        }
        #expect(throws: ProviderFault.self) { try ids(200, "{\"object\":\"list\"}") }
    }

    @Test(
        "a setting that cannot be is refused, and says what could be",
        arguments: [
            ("page_limit", "101", "1 to 100"), ("page_limit", "x", "1 to 100"),
            ("settles_to", "me", "customer or merchant"),
            ("source_amount", "gross", "includes_fees or excludes_fees"), ("event_list", "no", "on or off"),
            ("webhook_tolerance", "-1", "seconds"), ("webhook_tolerance", "5m", "seconds"),
            ("stripe_version", "2026 08", "without blanks"), ("stripe_version", "", "without blanks"),
            ("metadata_keys", "a.b", "metadata_keys"), ("metadata_keys", "*", "metadata_keys"),
            ("order_key", "a[]", "order_key"), ("order_key", "", "order_key"),
        ])
    func options(name: String, value: String, says: String) throws {
        do {
            _ = try S.stripe([name: value])
            Issue.record("\(name)=\(value) was taken")
        } catch let fault as ProviderConfigurationFault {
            #expect(fault.description.hasPrefix("stripe: "))
            #expect(fault.description.contains(says))
        }
        #expect(StripeConfiguration.optionNames.contains(name))
    }

    @Test("a key of the other mode, with a blank or none at all is refused and never shown; one of no mode is taken")
    func keys() throws {
        for (key, environment) in [
            ("sk_test_x1", "live"), ("rk_live_x1", "sandbox"), ("sk_test x1", "sandbox"), ("", "live"),
        ] {
            do {
                _ = try S.stripe([:], environment: environment, key: key)
                Issue.record("a key was taken that cannot be right")
            } catch let fault as ProviderConfigurationFault {
                #expect(!fault.description.contains("x1"))
            }
        }
        _ = try S.stripe([:], environment: "live", key: "rk_live_x1")
        _ = try S.stripe([:], environment: "sandbox", key: "secret")
        #expect(throws: ProviderConfigurationFault.self) { try S.stripe([:], environment: "test") }
    }

    @Test("the event list can be left out, and says how far it goes back")
    func eventList() throws {
        #expect(try S.stripe(["event_list": "off"]).events == nil)
        #expect(try S.stripe(["event_list": "off"]).declaration.eventHistory == false)
        #expect(try S.stripe().events?.retentionDays == 30)
        #expect(try S.stripe().declaration.eventHistory)
        #expect(try S.stripe().declaration.retryHeader == "stripe-should-retry")
        #expect(try S.stripe().declaration.retriedStatuses == [409])
    }
}
