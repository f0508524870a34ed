import JSON
import Loading
import Payments
import Postgres
import Providers

/// Reads kept bytes again where the status map, the mapping or the currencies of a source have changed since its records
/// were decoded. Where nothing has changed it costs one question per source and kind.
struct RedecodeStep {
    /// Ids read again by the provider in one run at most.
    private static let rereadLimit = 1000

    let run: AccountRun
    let context: LoadContext
    let sources: SourceSet
    let connection: Connection
    let record: RunRecord

    /// Returns the ids of transactions whose bytes are gone, by source: only the provider can say what they are.
    func perform() throws -> [String: [String]] {
        var gone: [String: [String]] = [:]
        var total: [(source: String, counts: RedecodeCounts)] = []
        for source in sources.all {
            let counts = try decode(source)
            if counts.read > 0 { total.append((source.name, counts)) }
            let ids = try unread(source)
            if !ids.isEmpty { gone[source.name] = ids }
        }
        if !total.isEmpty { try record.note(Self.summary(total), fence: context.fence, on: connection) }
        return gone
    }

    private func decode(_ source: PreparedSource) throws -> RedecodeCounts {
        var counts = RedecodeCounts()
        for (kind, mapping) in source.decodedKinds {
            let state = try state(source, kind)
            guard state.isRemembered else {
                try remember(state, source)
                continue
            }
            guard state.isBehind(source.reading) else { continue }
            let redecoder = Redecoder(
                context: context, connection: connection, reading: try run.workspace.connect("tieout decoding"),
                source: source.name)
            run.log(.info, "decoding again", [("source", source.name), ("kind", kind.rawValue)])
            let stop = run.workspace.stop
            let done: RedecodeCounts
            if let mapping {
                done = try redecoder.transactions(mapping, from: state, to: source.reading, stop: stop)
            } else {
                guard let scheme = source.provider.webhooks else { continue }
                done = try redecoder.events(scheme, from: state, to: source.reading, stop: stop)
            }
            note(done, source, kind)
            counts += done
        }
        return counts
    }

    private func state(_ source: PreparedSource, _ kind: DecodingState.Kind) throws -> DecodingState {
        try DecodingState(
            on: connection, account: context.account, sql: context.sql, source: source.name, kind: kind)
    }

    private func remember(_ state: DecodingState, _ source: PreparedSource) throws {
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try state.remember(source.reading, context, on: connection)
        }
    }

    private func note(_ counts: RedecodeCounts, _ source: PreparedSource, _ kind: DecodingState.Kind) {
        run.log(
            counts.quarantined + counts.unread > 0 ? .warning : .info, "decoded again",
            [
                ("source", source.name), ("kind", kind.rawValue), ("read", String(counts.read)),
                ("changed", String(counts.changed)), ("quarantined", String(counts.quarantined)),
                ("unread", String(counts.unread)),
            ])
    }

    /// What is still of an older reading since its bytes are gone. A source that cannot be asked keeps it, and says so.
    private func unread(_ source: PreparedSource) throws -> [String] {
        var ids: [String] = []
        for resource in source.provider.resources { ids += try unread(source, resource) }
        return Array(ids.prefix(Self.rereadLimit))
    }

    private func unread(_ source: PreparedSource, _ resource: Resource) throws -> [String] {
        let state = try state(source, .resource(resource.name))
        guard state.unread > 0 else { return [] }
        let redecoder = Redecoder(
            context: context, connection: connection, reading: connection, source: source.name)
        let ids = try redecoder.unread(resource.mapping)
        try connection.transaction { connection in
            try context.fence.check(on: connection)
            try state.count(unread: ids.count, context, on: connection)
        }
        let canAsk = resource.reader != nil && source.configuration.life != .retired
        if !ids.isEmpty {
            run.log(
                .warning, "bytes are gone",
                [
                    ("source", source.name), ("records", String(ids.count)),
                    ("what", canAsk ? "they are read again from the provider" : "they keep their older reading"),
                ])
        }
        if !canAsk { return [] }
        return ids.map { RecordName.of($0, resource: resource.name) }
    }

    private static func summary(_ total: [(source: String, counts: RedecodeCounts)]) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("redecoded")
            writer.object { writer in
                for (source, counts) in total {
                    writer.key(source)
                    writer.object { writer in
                        writer.member("read", integer: counts.read)
                        writer.member("changed", integer: counts.changed)
                        writer.member("quarantined", integer: counts.quarantined)
                        writer.member("unread", integer: counts.unread)
                    }
                }
            }
        }
        return writer.text
    }
}

extension PreparedSource {
    /// Everything whose kept bytes are read anew when the reading changes; events have no element mapping.
    var decodedKinds: [(kind: DecodingState.Kind, mapping: (any ElementMapping)?)] {
        provider.resources.map { (.resource($0.name), $0.mapping) } + [(.event, nil)]
    }
}
