import FoundationEssentials
import Payments
import Reconciling
import Testing

/// A hundred small worlds, each lived through three times: nightly, nightly with `--full`, and nightly with everything
/// arriving in another order. `TIEOUT_WORLDS=17` or `TIEOUT_WORLDS=0-24` lives through these alone.
@Suite("A hundred worlds")
struct HundredWorldsTests {
    /// Worlds that share an account: what is found is found per world, and a night costs less than its worlds.
    static let batches: [[UInt64]] = {
        guard let asked = ProcessInfo.processInfo.environment["TIEOUT_WORLDS"] else {
            return (0..<2).map { Array(UInt64($0) * 50..<UInt64($0 + 1) * 50) }
        }
        let ends = asked.split(separator: "-").compactMap { UInt64($0) }
        guard let first = ends.first, let last = ends.last, first <= last else { return [] }
        return [Array(first...last)]
    }()

    static let nightly: Int64 = 1
    static let full: Int64 = 2
    static let shuffled: Int64 = 3

    /// Nights with news, and then two on which only time passes.
    static let nights: [Int64] = [7 * 24, 7 * 24 + 12, 8 * 24 + 12, 9 * 24 + 12, 10 * 24 + 12, 12 * 24]

    @Test(
        "whatever arrives in whatever order, a night costs its news and finds what all of it would", arguments: batches)
    func lives(seeds: [UInt64]) throws {
        let replay = "TIEOUT_WORLDS=\(seeds[0])-\(seeds[seeds.count - 1]) swift test --filter HundredWorlds"
        let worlds = seeds.map { SmallWorld(seed: $0) }
        let bench = try WorldBench()
        for account in [Self.nightly, Self.full, Self.shuffled] { try bench.add(account: account) }
        var looked = 0
        var stored = 0
        for (night, hours) in Self.nights.enumerated() {
            let now = SmallWorld.start.adding(seconds: hours * 3600)
            let run = Int64(night + 1)
            // On the second night the feeds are stale: nothing was complete since long before.
            let reach = night == 1 ? now.adding(seconds: -30 * 3600) : now.adding(seconds: -1800)
            for account in [Self.nightly, Self.full, Self.shuffled] {
                let arriving =
                    Self.arriving(worlds, on: night, way: account == Self.shuffled ? 2 : 1)
                    + (night == 2 ? SmallWorld.flood(worlds) : [])
                try bench.load(arriving, account: account, run: run, now: now, pieces: Int(account) + night % 2)
                try bench.reach(reach, account: account, run: 1)
            }
            let later = now.adding(seconds: 60)
            let few = try bench.reconcile(account: Self.nightly, run: run, at: later, isFull: false)
            let all = try bench.reconcile(account: Self.full, run: run, at: later, isFull: true)
            _ = try bench.reconcile(account: Self.shuffled, run: run, at: later, isFull: false)
            looked += few.inScope ?? 0
            if few.inScope != nil { stored += try bench.payments(Self.nightly) }
            if ProcessInfo.processInfo.environment["TIEOUT_WORLDS"] != nil {
                print(
                    "night \(night): \(few.scope), \(few.inScope ?? -1) of \(try bench.payments(Self.nightly)) payments"
                )
            }
            #expect(few.inScope != nil || night == 0, "night \(night): \(few.scope)")
            #expect(Self.counts(few) == Self.counts(all), "night \(night); replay: \(replay)")
            let difference = Self.difference(try bench.judged(Self.nightly), try bench.judged(Self.full))
            #expect(difference.isEmpty, "night \(night): \(difference); replay: \(replay)")
            if !difference.isEmpty { return }
            if night == 1 || night == 2 {
                for account in [Self.nightly, Self.full] {
                    try bench.acknowledge(seeds.count / 2 + 1, account: account, now: now.adding(seconds: 120))
                }
            }
        }
        let facts = Self.difference(try bench.facts(Self.nightly), try bench.facts(Self.shuffled))
        #expect(facts.isEmpty, "another order of arrival: \(facts); replay: \(replay)")
        let standing = Self.difference(try bench.standing(Self.nightly), try bench.standing(Self.shuffled))
        #expect(standing.isEmpty, "another order of arrival: \(standing); replay: \(replay)")
        // Not proven by worlds that have nothing to show.
        let views = try bench.standing(Self.nightly).filter { $0.contains("view_conflict ") }
        #expect(seeds.count < 20 || !views.isEmpty)
        // Nights look at what is open and new, not at what is stored.
        #expect(looked < stored * 3 / 4)
    }

    /// What arrives on a night, in one of two ways: each fact on a night of its own choice, some of them twice.
    static func arriving(_ worlds: [SmallWorld], on night: Int, way: UInt64) -> [WorldFact] {
        worlds.flatMap { world in
            var random = SplitMix(state: world.seed &* 31 &+ way)
            var arriving: [(key: UInt64, fact: WorldFact)] = []
            for fact in world.facts {
                // All that is known of most payments comes in one night.
                let mixed = (fact.payment &+ world.seed &* 64 &+ way) &* 0x9E37_79B9_7F4A_7C15 >> 32
                let home = Int(mixed % UInt64(SmallWorld.newsNights))
                let stays = (fact.payment &+ world.seed) % 3 != 0 && fact.nights.contains(home)
                let first = stays ? home : Int.random(in: fact.nights, using: &random)
                let again =
                    !stays && Int.random(in: 0..<10, using: &random) < 3
                    ? Int.random(in: fact.nights, using: &random) : -1
                let keys = (random.next(), random.next())
                if first == night { arriving.append((keys.0, fact)) }
                if again == night { arriving.append((keys.1, fact)) }
            }
            return arriving.sorted { $0.key < $1.key }.map(\.fact)
        }
    }

    private static func counts(_ outcome: ReconcileOutcome) -> String {
        var comparable = outcome
        comparable.scope = .everything(.asked)
        comparable.inScope = nil
        comparable.linked.rounds = 0
        comparable.notEvaluated.sort { ($0.rule, $0.source) < ($1.rule, $1.source) }
        comparable.notApplicable.sort { ($0.rule, $0.source) < ($1.rule, $1.source) }
        let maps = [
            comparable.standing.map { "\($0.key.rawValue) \($0.value)" }.sorted(),
            comparable.fresh.map { "\($0.key.rawValue) \($0.value)" }.sorted(),
            comparable.abandoned.map { "\($0.key) \($0.value)" }.sorted(),
        ]
        comparable.standing = [:]
        comparable.fresh = [:]
        comparable.abandoned = [:]
        return "\(comparable) \(maps)"
    }

    /// The first rows that only one side has.
    static func difference(_ left: [String], _ right: [String]) -> [String] {
        var counts: [String: Int] = [:]
        for row in left { counts[row, default: 0] += 1 }
        for row in right { counts[row, default: 0] -= 1 }
        let faults = counts.filter { $0.value != 0 }.map { ($0.value > 0 ? "only nightly: " : "only other: ") + $0.key }
        return Array(faults.sorted { $0.dropFirst(13) < $1.dropFirst(13) }.prefix(8))
    }
}
