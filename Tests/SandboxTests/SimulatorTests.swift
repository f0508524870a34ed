import JSON
import Payments
import Testing

@testable import Sandbox

/// What holds for every simulated provider, whichever it is.
@Suite struct SimulatorTests {
    static let providers = WorldPlan.allProviders

    private static func world(_ name: String) -> World {
        World(WorldShape(seed: 11, transactions: 900), providers: [name])
    }

    private func api(_ name: String) throws -> SimulatedAPI {
        let api = SimulatedAPI(world: Self.world(name), wall: { Timestamp(seconds: 1_800_000_000) })
        return try #require(api)
    }

    @Test("names and order numbers are each provider's own; so are its source and its secrets")
    func names() {
        let profiles = SimulatorCatalogue.all.map { $0.profile }
        #expect(Set(profiles.map(\.name)).count == profiles.count)
        #expect(Set(profiles.map(\.bookPrefix)).count == profiles.count)
        for profile in profiles {
            #expect(!profile.corridors.isEmpty && !profile.terms.isEmpty, "\(profile.name)")
            #expect(Set(profile.secrets.map(\.name)).count == profile.secrets.count, "\(profile.name)")
            #expect(profile.secrets.contains { $0.role == .apiKey }, "\(profile.name)")
            for item in profile.switches { #expect(item.values.count >= 2, "\(profile.name).\(item.name)") }
            for play in profile.plays { #expect(play.turns.isSubset(of: profile.turns), "\(profile.name) \(play)") }
        }
    }

    @Test("every element is JSON at every night, and has the members that misbehaviour spoils", arguments: providers)
    func rows(name: String) throws {
        let api = try api(name)
        for night in 1...3 {
            let now = api.world.shape.night(night)
            for item in api.provider.items where item.isVisible(at: now) {
                let row = api.provider.row(item, View(moment: now))
                let text = String(decoding: row, as: UTF8.self)
                #expect((try? JSONDocument(row)) != nil, "\(name): \(text)")
                let marks = api.provider.marks(ofShelf: item.shelf)
                // Two spellings of one name stand for it: an answer may use either.
                let names = Dictionary(grouping: marks.ids) { $0.replacing("_", with: "").lowercased() }
                for (id, spellings) in names {
                    #expect(spellings.contains { text.contains("\"\($0)\"") }, "\(name) \(item.shelf): \(id)")
                }
            }
        }
        let shelves = Set(api.provider.items.map(\.shelf))
        #expect(shelves.contains(Item.transactions))
        for shelf in shelves {
            let ids = api.provider.items.filter { $0.shelf == shelf }.map(\.id)
            #expect(Set(ids).count == ids.count, "\(name) \(shelf)")
        }
    }

    @Test("a payment is shown in words and amounts from the moment it is there", arguments: providers)
    func shown(name: String) throws {
        let api = try api(name)
        api.set(now: api.world.shape.night(3))
        let shown = api.shown()
        #expect(shown.count >= 40)
        #expect(shown.allSatisfy { !$0.status.isEmpty && $0.chargedCurrency?.isEmpty != true })
        #expect(Set(shown.map(\.status)).count >= 3)
        #expect(Set(api.ids(Item.transactions)).isSubset(of: Set(api.provider.items.map(\.id))))
    }

    @Test("a request without credentials gets no data, and every refusal has a body", arguments: providers)
    func refusals(name: String) throws {
        let api = try api(name)
        #expect(throws: Refusal.self) {
            try api.provider.authenticate(APIRequest(path: "/"), at: Door(wall: { Timestamp(seconds: 0) }))
        }
        let troubles: [Trouble] = [
            .unauthorized, .forbidden, .tooMany, .redirect(status: 302), .badCursor, .server(status: 503), .noRoute,
            .notFound(shelf: Item.transactions, id: "x"), .badParameter(name: "limit", problem: "must be a number"),
        ]
        for trouble in troubles {
            let refusal = api.provider.refusal(trouble)
            let answer = api.provider.answer(refusal, number: 1, at: api.now)
            #expect(
                answer.status == refusal.status && answer.status >= 300 && !answer.body.isEmpty, "\(name) \(trouble)")
        }
        #expect(api.provider.refusal(.tooMany).status == 429)
        #expect(api.provider.refusal(.server(status: 503)).status == 503)
    }

    @Test("captures hold one JSON delivery a line, each of the source's own address", arguments: providers)
    func captures(name: String) throws {
        let api = try api(name)
        var count = 0
        for line in api.captureLines(night: 1).split(separator: 10) {
            let root = try JSONDocument(Array(line)).root
            #expect(root["url"]?.string == api.source.webhookURL)
            #expect((root["headers"]?.count ?? 0) > 0)
            count += 1
        }
        #expect(count > 20)
    }

    @Test("plants name their own orders and payments, and the truth is the same each time", arguments: providers)
    func planted(name: String) {
        let world = Self.world(name)
        let source = world.sources[0]
        let ids = Set(source.trades.map { Subject.transaction($0.id, source: source.name) })
        let orders = Set(source.orders.map { Subject.order($0.id) })
        for item in world.planted
        where !item.subject.hasPrefix("event:") && !item.subject.hasPrefix("payout:") && name != Names.provider {
            #expect(ids.contains(item.subject) || orders.contains(item.subject), "\(item.subject)")
        }
        #expect(TruthFile.json(world) == TruthFile.json(Self.world(name)))
        #expect(world.planted.count >= 10)
    }

    @Test("a payment carried out for Meld is shown beneath under the id that Meld names")
    func beneath() throws {
        let able = SimulatorCatalogue.all.map { $0.profile }.filter { $0.carriedAs != nil }
        #expect(able.contains { $0.name == "mercuryo" })
        let world = World(
            WorldShape(seed: 11, transactions: 900), providers: ["meld"], beneath: able.map(\.name))
        #expect(world.sources.count == able.count + 1)
        let above = Set(world.sources[0].trades.map(\.providerId))
        for source in world.sources.dropFirst() {
            #expect(source.beneath == Names.source && source.orders.isEmpty)
            #expect(!source.trades.isEmpty, "\(source.name)")
            #expect(source.trades.allSatisfy { above.contains($0.id) }, "\(source.name)")
            let own = SimulatedAPI(world: world, source: source.name)
            let api = try #require(own)
            #expect(Set(api.ids(Item.transactions)).isSubset(of: above))
        }
        #expect(world.sources[0].trades.map(\.id) == World(world.shape).trades.map(\.id))
    }

    @Test(
        "plans are read from their words and kept with the world; what nobody has is refused",
        arguments: [
            ("--providers", "meld,nobody"), ("--providers", ","), ("--beneath", "meld"), ("--switch", "mercuryo.x=1"),
            ("--switch", "mercuryo.dates=never"), ("--switch", "dates=exclusive"),
        ])
    func plans(option: String, text: String) throws {
        #expect(throws: UsageError.self) {
            try Arguments(["--seed", "1", option, text], known: ["seed", "providers", "beneath", "switch"]).plan()
        }
        let words: ArraySlice<String> = [
            "--seed", "1", "--providers", "mercuryo,meld,mercuryo", "--beneath", "mercuryo", "--switch",
            "mercuryo.dates=exclusive",
        ]
        let plan = try Arguments(words, known: ["seed", "providers", "beneath", "switch"]).plan()
        #expect(plan.providers == ["mercuryo", "meld"] && plan.beneath == ["mercuryo"])
        #expect(plan.switches == ["mercuryo": ["dates": "exclusive"]])
    }
}
