import Payments
import Postgres
import Reconciling
import Testing

/// On which business day what stands in the totals.
@Suite struct BusinessDayTotalsTests {
    private func scene(zone: String, cutOff: String) throws -> Scene {
        let scene = try Scene.settling()
        try scene.connection.execute(
            "update tieout.account set zone = $2, cut_off = $3::text::interval where account_id = $1",
            [.int(Scene.account), .text(zone), .text(cutOff)])
        return scene
    }

    private func days(_ scene: Scene, _ pair: String) throws -> [String] {
        try scene.connection.query(
            "select distinct business_day::text as day from tieout.control_total where pair = $1 order by 1",
            [.text(pair)]
        ).map { try $0.text("day") }
    }

    @Test(
        "case 55: a cut-off after noon ends its own date's business day, one at or before noon that of the date before",
        arguments: [
            ("17:00", "2026-01-13T15:00:00Z", "2026-01-13"), ("17:00", "2026-01-12T22:00:00Z", "2026-01-13"),
            ("17:00", "2026-01-13T22:00:00Z", "2026-01-14"), ("02:00", "2026-01-13T06:59:00Z", "2026-01-12"),
            ("02:00", "2026-01-13T07:00:00Z", "2026-01-13"), ("12:00", "2026-01-13T16:59:00Z", "2026-01-12"),
            ("00:00", "2026-01-13T04:59:00Z", "2026-01-12"),
        ])
    func cutOff(cutOff: String, moment: String, day: String) throws {
        let scene = try scene(zone: "America/New_York", cutOff: cutOff)
        try scene.paid("T1", created: moment)
        #expect(try scene.reconcile().totalsTie)
        #expect(try days(scene, "book-provider") == [day] && days(scene, "provider-settlement") == [day])
        let calendar = try BusinessCalendar(
            zone: "America/New_York", cutOffSeconds: (Int(cutOff.prefix(2)) ?? 0) * 3600)
        #expect(calendar.day(of: at(moment)) == day)
    }

    @Test("a date without a time stays that date, in any zone; a moment has the business day of its zone")
    func dates() throws {
        for (zone, moment, day) in [
            ("America/New_York", "2026-01-13T00:00:00Z", "2026-01-13"),
            ("Asia/Tokyo", "2026-01-13T00:00:00Z", "2026-01-13"),
            ("America/New_York", "2026-01-13T03:30:00Z", "2026-01-12"),
            ("Asia/Tokyo", "2026-01-13T15:30:00Z", "2026-01-14"),
        ] {
            let scene = try scene(zone: zone, cutOff: "00:00")
            try scene.line("L9", of: "T9", gross: "75", payout: "P1", at: moment)
            try scene.payout("P1", amount: "75", lines: ["L9"], at: moment)
            #expect(try scene.reconcile().totalsTie)
            #expect(try days(scene, "settlement-payout") == [day], "\(zone) \(moment)")
            #expect(try days(scene, "provider-settlement") == [day], "\(zone) \(moment)")
        }
    }

    @Test(
        "provider and webhook meet on the day of the event, else of the record's own times, not on that of our reading")
    func states() throws {
        let scene = try Scene(reach: "2026-01-20T12:00:00Z", events: ["PAID"])
        func paid(_ id: String, taken: String?, updated: String? = nil) throws {
            try scene.transaction(
                id, status: "PAID", state: "paid", money: "taken", created: "2026-01-08T10:00:00Z", updated: updated,
                takenAt: taken, readAt: updated == nil ? "2026-01-19T10:00:00Z" : nil)
        }
        try paid("heard", taken: "2026-01-09T10:00:00Z")
        try scene.event("E", of: "heard", status: "PAID", state: "paid", money: "taken", time: "2026-01-10T10:00:00Z")
        #expect(try scene.reconcile().totalsTie)
        #expect(try days(scene, "provider-webhook") == ["2026-01-10"])
        for (taken, updated, day, due) in [
            ("2026-01-09T10:00:00Z", nil, "2026-01-09", "2026-01-09T11:00:00Z"),
            (nil, nil, "2026-01-08", "2026-01-08T11:00:00Z"),
            ("2026-01-09T10:00:00Z", "2026-01-11T10:00:00Z", "2026-01-11", "2026-01-11T11:00:00Z"),
        ] as [(String?, String?, String, String)] {
            try scene.connection.execute("delete from tieout.transaction")
            try scene.connection.execute("delete from tieout.webhook_event")
            try paid("unheard", taken: taken, updated: updated)
            #expect(try scene.reconcile(at: "2026-01-20T13:0\(scene.run):00Z").totalsTie)
            #expect(try days(scene, "provider-webhook") == [day])
            #expect(try scene.only("webhook_missing").dueAt == at(due))
        }
    }
}
