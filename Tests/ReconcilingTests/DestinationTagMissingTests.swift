import Payments
import Postgres
import Reconciling
import Testing

@Suite struct DestinationTagMissingTests {
    private static let wallet = "rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh"

    private func scene(showsTags: Bool = true) throws -> Scene {
        let scene = try Scene(events: [])
        try scene.connection.execute(
            "update tieout.source set declaration = declaration || jsonb_build_object('shows_tags', $1::boolean)",
            [.bool(showsTags)])
        return scene
    }

    private func purchase(
        _ scene: Scene, coin: String = "XRP", tag: String?, wallet: String? = wallet, money: String = "delivered",
        direction: String = "in", flags: [String] = []
    ) throws {
        try scene.order("A", status: money == "none" ? "failed" : "credited", direction: direction)
        try scene.transaction(
            "T", state: money == "none" ? "failed" : "settled", money: money, refs: ["book:order=A"], delivered: "50",
            deliveredCurrency: coin, wallet: wallet, flags: flags, direction: direction, tag: tag)
    }

    @Test(
        "a purchase of a coin that needs a tag, without one: high, at risk all of it",
        arguments: ["XRP", "XLM", "EOS", "ATOM", "XRP_XRPL", "BNB_BEP2"])
    func missing(coin: String) throws {
        let scene = try scene()
        try purchase(scene, coin: coin, tag: nil)
        let outcome = try scene.reconcile()
        #expect(try scene.breaks() == ["destination_tag_missing transaction:meld-live/T high"])
        #expect(try scene.only().atRisk.description == "100" && outcome.totalsTie)
    }

    @Test("what stands for nothing is no tag", arguments: ["", "  ", "0", "000", "0x", "null", "None", "-"])
    func blank(tag: String) throws {
        let scene = try scene()
        try purchase(scene, tag: tag)
        try scene.reconcile()
        #expect(try scene.breaks() == ["destination_tag_missing transaction:meld-live/T high"])
    }

    @Test("a tag with leading zeros, or of letters, is none of this", arguments: ["0045120", "1", "memo-7"])
    func tagged(tag: String) throws {
        let scene = try scene()
        try purchase(scene, tag: tag)
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
    }

    @Test("coins that need none are not asked for one", arguments: ["BTC", "USDC_BASE", "BNB", "BNB_BSC", "XRP_BSC"])
    func others(coin: String) throws {
        let scene = try scene()
        try purchase(scene, coin: coin, tag: nil)
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty)
    }

    @Test("the network may be what the mapping noticed: BNB on the Beacon Chain needs a memo")
    func network() throws {
        let scene = try scene()
        try purchase(scene, coin: "BNB", tag: nil, flags: ["network=bep2"])
        try scene.reconcile()
        #expect(try scene.breaks() == ["destination_tag_missing transaction:meld-live/T high"])
    }

    @Test("a sale, an unpaid session and an address that holds its tag need no tag beside it")
    func notNeeded() throws {
        let addresses = [
            "\(Self.wallet)?dt=7", "\(Self.wallet):7", "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ",
            "M" + String(repeating: "A", count: 68),
        ]
        for wallet in addresses {
            let scene = try scene()
            try purchase(scene, tag: nil, wallet: wallet)
            try scene.reconcile()
            #expect(try scene.breaks().isEmpty, "\(wallet)")
        }
        for (money, direction) in [("none", "in"), ("delivered", "out")] {
            let scene = try scene()
            try purchase(scene, tag: nil, money: money, direction: direction)
            try scene.reconcile()
            #expect(try scene.found("destination_tag_missing").isEmpty, "\(money) \(direction)")
        }
    }

    @Test(
        "the book's tag counts where the provider shows none at all, and not where it would", arguments: [true, false])
    func booked(showsTags: Bool) throws {
        let scene = try scene(showsTags: showsTags)
        try purchase(scene, tag: nil)
        try scene.connection.execute("update tieout.book_order set wallet_tag = '0045120'")
        try scene.reconcile()
        #expect(try scene.breaks().isEmpty != showsTags)
        if showsTags { #expect(try scene.only().facts.contains("0045120")) }
    }
}
