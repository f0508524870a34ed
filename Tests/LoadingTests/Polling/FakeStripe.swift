import Foundation
import HTTP
import Payments
import Synchronization

@testable import Loading

/// Stripe's sessions and event list in process: newest first, ids as positions, events for 30 days.
final class FakeStripe: Sendable {
    struct Session: Sendable {
        var id: String
        var createdAt: Int64
        var status = "fulfillment_complete"
        var amount = "100.00"
    }

    struct Event: Sendable {
        var id: String
        var createdAt: Int64
        var session: String
        var status: String
        var kind = "crypto.onramp_session.updated"
        var pendingWebhooks = 1
        /// JSON text in place of the creation time.
        var spoiled: String?
    }

    struct State {
        var sessions: [Session] = []
        var events: [Event] = []
        /// Unix seconds; decides which events are gone.
        var now: Int64 = 0
        var asked: [String] = []
        /// Requests for events that fail, counted from 1.
        var failsEvents: [Int: HTTPError.Kind] = [:]
        var eventRequests = 0
        var pageLimit = 100
        /// All types are shown, whatever is asked for.
        var ignoresType = false
        /// Called when events are asked for.
        var onEvents: (@Sendable () -> Void)?
        /// Called when sessions are asked for.
        var onSessions: (@Sendable () -> Void)?
    }

    let state = Mutex(State())

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
    var asked: [String] { state.withLock { $0.asked } }

    @Sendable func answer(_ request: HTTPRequest, _ expected: Set<Int>) async throws(HTTPError) -> HTTPResponse {
        let result: Result<HTTPResponse, HTTPError> = state.withLock { state in
            state.asked.append(request.url)
            if request.url.contains("/v1/events") {
                state.eventRequests += 1
                state.onEvents?()
                if let kind = state.failsEvents[state.eventRequests] { return .failure(HTTPError(kind, request)) }
            } else {
                state.onSessions?()
            }
            return .success(Self.respond(request.url, state))
        }
        let response = try result.get()
        guard (200...299).contains(response.status) || expected.contains(response.status) else {
            throw HTTPError(.status(response.status), request)
        }
        return response
    }

    private static func respond(_ url: String, _ state: State) -> HTTPResponse {
        let parts = url.components(separatedBy: "?")
        let path = parts[0].components(separatedBy: "/v1/").dropFirst().joined()
        var query: [String: String] = [:]
        for item in parts.dropFirst().joined().split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1).map { $0.removingPercentEncoding ?? "" }
            query[pair[0]] = pair.count > 1 ? pair[1] : ""
        }
        switch path {
        case "crypto/onramp_sessions":
            return list(state.sessions.map { ($0.id, $0.createdAt, text($0)) }, query, state)
        case "events":
            let kept = state.events.filter { event in
                event.createdAt >= state.now - 30 * 86_400 && event.createdAt <= state.now
                    && (state.ignoresType || query["type"].map { $0 == event.kind } != false)
            }
            return list(kept.map { ($0.id, $0.createdAt, text($0, state)) }, query, state)
        default:
            let id = path.components(separatedBy: "/").last ?? ""
            guard let session = state.sessions.first(where: { $0.id == id }) else {
                return json(404, #"{"error":{"code":"resource_missing","type":"invalid_request_error"}}"#)
            }
            return json(200, text(session))
        }
    }

    private static func list(
        _ rows: [(id: String, createdAt: Int64, text: String)], _ query: [String: String], _ state: State
    ) -> HTTPResponse {
        let from = query["created[gte]"].flatMap { Int64($0) } ?? Int64.min
        let to = query["created[lte]"].flatMap { Int64($0) } ?? Int64.max
        var listed = rows.filter { ($0.createdAt >= from && $0.createdAt <= to) }
            .sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }[...]
        if let after = query["starting_after"] {
            guard let place = listed.firstIndex(where: { $0.id == after }) else {
                return json(400, #"{"error":{"code":"resource_missing","param":"starting_after"}}"#)
            }
            listed = listed[(place + 1)...]
        }
        let limit = min(query["limit"].flatMap { Int($0) } ?? 10, state.pageLimit)
        let page = listed.prefix(limit)
        let more = listed.count > page.count
        return json(
            200, #"{"object":"list","has_more":\#(more),"data":[\#(page.map(\.text).joined(separator: ","))]}"#)
    }

    static func text(_ session: Session) -> String {
        """
        {"id":"\(session.id)","object":"crypto.onramp_session","client_secret":"\(session.id)_secret_x",\
        "created":\(session.createdAt),"kyc_details_provided":true,"livemode":true,\
        "metadata":{"order_id":"A-\(session.id)"},"redirect_url":null,"status":"\(session.status)",\
        "transaction_details":{"destination_amount":"\(session.amount)","destination_currency":"usdc",\
        "destination_network":"base","fees":{"network_fee_amount":"0.17","transaction_fee_amount":"4.04"},\
        "lock_wallet_address":true,"source_amount":"\(session.amount)","source_currency":"usd","transaction_id":null,\
        "wallet_address":"0x51"}}
        """
    }

    static func text(_ event: Event, _ state: State) -> String {
        let session = state.sessions.first { $0.id == event.session }
        let inner = text(
            Session(
                id: event.session, createdAt: session?.createdAt ?? event.createdAt, status: event.status,
                amount: session?.amount ?? "1.00"))
        return """
            {"id":"\(event.id)","object":"event","api_version":"2026-08-26.dahlia",\
            "created":\(event.spoiled ?? String(event.createdAt)),"data":{"object":\(inner)},"livemode":true,\
            "pending_webhooks":\(event.pendingWebhooks),"request":{"id":null,"idempotency_key":null},\
            "type":"\(event.kind)"}
            """
    }

    private static func json(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: HTTPHeaders([("content-type", "application/json")]),
            body: HTTPBody(Array(text.utf8)))
    }
}
