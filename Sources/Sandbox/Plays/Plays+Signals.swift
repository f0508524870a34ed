import Payments

/// Events that never came or prove nothing, final states that moved, values that nobody modelled.
extension Plot {
    mutating func signals(_ play: Play) {
        switch play {
        case .webhookMissing:
            var story = scene(day: 4, hour: 8, amount: 7_111)
            settle(&story)
            story.trade.lostEvents.insert(profile.announced)
            add(story)
            raise(
                "webhook_missing", subject(story), story, opens: 1, severity: "low",
                why: "delivered, the event never came")
            var late = scene(day: 6, hour: 12, amount: 7_555)
            settle(&late)
            late.trade.lateEvents[profile.announced] = 2 * 3_600
            add(late)
            twin(subject(late), "\(profile.name): its event came late, after retries, but it came")
        case .webhookForged:
            var story = scene(day: 4, hour: 18, minute: 30, amount: 42_010)
            settle(&story)
            let id = Identifiers.base58(22, &story.random)
            let tale = Trade.Tale(eventId: id, at: story.clock.adding(seconds: 1_800), status: .failed, isForged: true)
            story.trade.tales.append(tale)
            add(story)
            forgeries.append((tale: tale, trade: story.trade))
        case .webhookConflict:
            var story = scene(day: 4, hour: 17, amount: 41_010)
            settle(&story)
            let id = Identifiers.base58(22, &story.random)
            story.trade.tales.append(
                Trade.Tale(
                    eventId: id, at: story.clock.adding(seconds: 7_200), status: profile.contradiction, isForged: false)
            )
            add(story)
            raise(
                "webhook_conflict", subject(story), story, severity: "medium",
                why: "an event says \(profile.contradiction.rawValue), the provider's record still says delivered")
        default:
            // By card: a wallet's payment that is pending holds money already.
            var story = scene(day: 4, hour: 19, amount: 43_110, corridor: 1)
            story.refuse(.declined)
            story.wait(until: shape.moment(day: shape.days, hour: 12))
            story.provider(.pending)
            add(story)
            raise(
                "status_regression", subject(story), story, opens: 2, severity: "low",
                why: "declined for days, then pending again")
        }
    }

    mutating func oddities(_ play: Play) {
        switch play {
        case .unknownStatus:
            var story = scene(day: 6, hour: 10, minute: 30, amount: 8_806)
            // No session lapses meanwhile: nothing but the status is odd.
            story.order.expiresAt = shape.moment(day: shape.allDays + 30, hour: 0)
            story.begin()
            story.wait(30...90)
            story.provider(.retryScheduled)
            add(story)
            raise(
                "unknown_value", subject(story), story, severity: "high",
                why: "the provider says retry_scheduled and nothing else since")
        case .changedType:
            var story = scene(day: 5, hour: 11, minute: 30, amount: 9_123)
            settle(&story)
            story.trade.quirks.insert(.feeAsObject)
            story.trade.feesKnownFrom = story.trade.createdAt
            add(story)
            quarantine(story.trade.id)
        default:
            var story = scene(day: 6, hour: 7, amount: 6_006)
            settle(&story)
            story.trade.quirks.insert(.testMode)
            add(story)
            raise(
                "environment_mixed", subject(story), story, severity: "critical",
                why: "a test payment in a live account, and the book credited it")
        }
    }
}
