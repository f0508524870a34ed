package import Payments

/// truth.json: the nights, what must be found after each of them, and exact sums to compare the database with.
package enum TruthFile {
    package static func json(_ world: World) -> [UInt8] {
        let shape = world.shape
        var json = JSONText()
        json.object {
            $0.text("seed", String(shape.seed))
            $0.number("transactions", String(world.trades.count))
            $0.number("orders", String(world.orders.count))
            $0.number("days", String(shape.days))
            $0.text("source", world.sources.first?.name)
            $0.array("nights") { for night in 1...shape.nights { write(night, of: world, to: &$0) } }
            $0.array("planted") { for planted in world.planted { write(planted, to: &$0) } }
            $0.array("twins") {
                for twin in world.twins {
                    $0.object {
                        $0.text("subject", twin.subject)
                        $0.text("why", twin.why)
                    }
                }
            }
            if world.sources.count > 1 {
                $0.array("sources") { for source in world.sources { write(source, to: &$0) } }
            }
            let quarantined = world.sources.flatMap(\.quarantined)
            $0.object("quarantine") {
                $0.number("count", String(quarantined.count))
                $0.array("transactions") { for id in quarantined { $0.text(nil, id) } }
            }
            $0.array("sums") { for sum in sums(world, at: shape.night(shape.nights)) { write(sum, to: &$0) } }
        }
        json.endLine()
        return json.bytes
    }

    private static func write(_ source: SimulatedSource, to json: inout JSONText) {
        json.object {
            $0.text("source", source.name)
            $0.text("provider", source.provider)
            $0.number("transactions", String(source.trades.count))
        }
    }

    private static func write(_ night: Int, of world: World, to json: inout JSONText) {
        let shape = world.shape
        json.object {
            $0.number("night", String(night))
            $0.text("now", shape.night(night).description)
            $0.text("orders", "orders-night\(night).csv")
            $0.array("webhooks") {
                for source in world.sources {
                    for name in Generate.captures(of: source) { $0.text(nil, "webhooks-night\(night)/\(name)") }
                }
            }
            let visible = world.sources.reduce(0) { sum, source in
                sum + source.trades.count { $0.isVisible(at: shape.night(night)) }
            }
            $0.number("visible", String(visible))
        }
    }

    private static func write(_ planted: Planted, to json: inout JSONText) {
        json.object {
            $0.text("rule", planted.rule)
            $0.text("subject", planted.subject)
            if let or = planted.or { $0.text("or", or) }
            $0.text("difference", planted.difference)
            $0.text("currency", planted.currency)
            $0.flag("primary", planted.isPrimary)
            $0.array("standing") {
                for standing in planted.standing {
                    $0.object {
                        $0.number("night", String(standing.night))
                        $0.text("state", standing.state)
                        $0.text("severity", standing.severity)
                    }
                }
            }
            $0.text("why", planted.why)
        }
    }

    /// One exact sum over the visible rows that can be taken in (the quarantined one is left out).
    package struct Sum: Sendable, Hashable {
        package let side: String
        package let direction: Direction
        package let currency: String
        package var count: Int
        package var sum: Amount
    }

    /// Sums of `sourceAmount` and `destinationAmount` as the rows show them at `moment`, by direction and currency.
    package static func sums(_ world: World, at moment: Timestamp) -> [Sum] {
        var sums: [String: Sum] = [:]
        func add(_ side: String, _ trade: Trade, _ currency: String, _ amount: Amount) {
            let key = "\(side) \(trade.direction.rawValue) \(currency)"
            var sum = sums[key] ?? Sum(side: side, direction: trade.direction, currency: currency, count: 0, sum: .zero)
            sum.count += 1
            sum.sum += amount
            sums[key] = sum
        }
        for source in world.sources {
            let provider = source.simulator.init(source)
            let spoilt = Set(source.quarantined)
            for trade in source.trades where trade.isVisible(at: moment) && !spoilt.contains(trade.id) {
                let shown = provider.shown(trade, at: moment)
                if let (currency, amount) = shown.charged { add("source", trade, currency, amount) }
                if let (currency, amount) = shown.delivered { add("destination", trade, currency, amount) }
            }
        }
        return sums.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func write(_ sum: Sum, to json: inout JSONText) {
        json.object {
            $0.text("side", sum.side)
            $0.text("direction", sum.direction.rawValue)
            $0.text("currency", sum.currency)
            $0.number("count", String(sum.count))
            $0.text("sum", sum.sum.plain)
        }
    }
}
