import HTTP
import Loading
import Payments
import Postgres
import Providers
import SandboxSupport

@testable import JobRunner
@testable import Sandbox

/// One thing that every provider must do.
struct Check: Sendable {
    enum Verdict: Sendable, Hashable {
        case passed
        /// It has nothing of the kind, for this reason.
        case notApplicable(String)
        case failed(String)
    }

    let name: String
    let run: @Sendable (_ provider: String) async throws -> Verdict

    static let all: [Check] = walks + answers + rows + webhooks + sheets

    /// Passed where nothing differs.
    static func verdict(_ problems: [String]) -> Verdict {
        problems.isEmpty ? .passed : .failed(problems.prefix(6).joined(separator: "; "))
    }

    /// A night under a misbehaviour that has to end complete, with every row once.
    private static func complete(_ provider: String, _ spec: String, nights: Int = 1) async throws -> [String] {
        let bench = try ConformanceBench(provider, misbehaviour: spec)
        for night in 1...nights {
            let outcome = try await bench.night(night)
            if !outcome.isComplete { return ["\(spec), night \(night): \(outcome.ending)"] }
        }
        return try bench.differences().map { "\(spec): \($0)" }
    }

    /// Requests of a first night before the payments' list.
    private static func pagesOfEvents(_ provider: String) async throws -> Int {
        let bench = try ConformanceBench(provider)
        guard bench.source.provider.events != nil else { return 0 }
        _ = try await bench.night(1)
        return bench.wire.calls.prefix { $0.path.contains("/events") }.count
    }

    /// Nights over a list that changes while it is walked: one may be in doubt, and says so, but the third is complete and
    /// holds every row once.
    private static func settled(_ provider: String, _ spec: String) async throws -> [String] {
        let bench = try ConformanceBench(provider, misbehaviour: spec)
        _ = try await bench.night(1)
        _ = try await bench.night(2)
        bench.api.misbehave(Misbehaviour())
        let outcome = try await bench.night(3)
        if !outcome.isComplete { return ["\(spec): \(outcome.ending)"] }
        return try bench.differences().map { "\(spec): \($0)" }
    }

    private static func isListed(_ provider: String) throws -> Bool {
        try ConformanceBench(provider).source.provider.resources.contains { $0.lister != nil }
    }

    // MARK: Walks

    static let walks = [
        Check(name: "complete walk") { provider in verdict(try await complete(provider, "", nights: 2)) },
        Check(name: "again: no change") { provider in
            let bench = try ConformanceBench(provider)
            _ = try await bench.night(1)
            let again = try await bench.night(1, later: 60)
            let counts = again.counts
            return verdict(
                counts.new + counts.changed + counts.late == 0
                    ? [] : ["\(counts.new) new, \(counts.changed) changed, \(counts.late) late"])
        },
        Check(name: "drift") { provider in
            guard try isListed(provider) else { return .notApplicable("it has no list") }
            var problems: [String] = []
            for spec in ["insert:after=1:rows=3", "delete:after=1:rows=2:times=40", "late:rows=4"] {
                problems += try await settled(provider, spec)
            }
            return verdict(problems)
        },
        Check(name: "resume") { provider in
            let bench = try ConformanceBench(provider, misbehaviour: "5xx:after=1:times=0:on=all")
            let broken = try await bench.night(1)
            if broken.isComplete { return .failed("complete although every request behind the first failed") }
            bench.api.misbehave(Misbehaviour())
            let stop = StopFlag()
            let before = bench.wire.calls.count
            bench.wire.watch { if $0 > before { stop.request() } }
            let stopped = try await bench.night(1, later: 60, stop: stop)
            bench.wire.watch { _ in }
            if stopped.ending != .interrupted { return .failed("stopped, but \(stopped.ending)") }
            let whole = try await bench.night(1, later: 120)
            if !whole.isComplete { return .failed("mended, but \(whole.ending)") }
            return verdict(try bench.differences())
        },
        Check(name: "expired cursor") { provider in
            guard try isListed(provider) else { return .notApplicable("it has no list") }
            return verdict(try await complete(provider, "expired:after=1:times=1"))
        },
        Check(name: "assumptions turned round") { provider in
            var problems: [String] = []
            let switches = try ConformanceBench(provider).api.source.profile.switches
            if switches.isEmpty { return .notApplicable("its simulator has no switches") }
            for item in switches {
                for value in item.values.dropFirst() {
                    let bench = try ConformanceBench(provider, switches: [item.name: value])
                    let outcome = try await bench.night(1)
                    let place = "\(item.name)=\(value)"
                    if !outcome.isComplete { problems.append("\(place): \(outcome.ending)") }
                    problems += try bench.differences().map { "\(place): \($0)" }
                    let refused = try bench.count("webhook_event", "verdict not in ('valid', 'unsigned')")
                    let forged = bench.api.world.planted.count { $0.rule == "webhook_unverified" }
                    if refused > forged { problems.append("\(place): \(refused) events are not valid") }
                }
            }
            return verdict(problems)
        },
    ]

    // MARK: Answers

    static let answers = [
        Check(name: "429") { provider in
            let bench = try ConformanceBench(provider, misbehaviour: "429:times=3:retry-after=7")
            let patient = try await bench.night(1)
            if !patient.isComplete { return .failed("three of them: \(patient.ending)") }
            var problems = try bench.differences()
            let storm = try ConformanceBench(provider, misbehaviour: "429:times=0")
            guard case .tryLater = try await storm.night(1).ending else {
                return .failed("nothing but 429 is not `try later`")
            }
            storm.api.misbehave(Misbehaviour())
            // The provider may have named a moment, up to a day away.
            if !(try await storm.night(3).isComplete) { problems.append("not complete after the storm") }
            return verdict(problems)
        },
        Check(name: "cut, stalled, garbled") { provider in
            verdict(
                try await complete(
                    provider, "cut:after=1:times=2,stall:after=3:times=1,malformed:after=5:times=1,5xx:after=7:times=2")
            )
        },
        Check(name: "refused credentials") { provider in
            let bench = try ConformanceBench(provider, wrongSecrets: true)
            let outcome = try await bench.night(1)
            if outcome.isComplete { return .failed("complete with a wrong key") }
            if try bench.count("transaction") > 0 { return .failed("rows came with a wrong key") }
            if try bench.count("feed_state", "feed = 'provider' and failure <> ''") == 0 {
                return .failed("the feed does not say why")
            }
            guard let probe = bench.source.provider.probe else { return .passed }
            let answer = try await bench.wire.fetcher().fetch(probe, accepting: Set(400...499))
            return bench.source.provider.refusesCredentials(answer)
                ? .passed : .failed("the probe's answer \(answer.status) is not taken as refused")
        },
    ]
}
