package import Loading

/// Settlement files of one source, and how they are written.
package struct SettlementConfiguration: Sendable {
    package let paths: [String]
    /// Source, encoding, mark before decimals and names of columns.
    package let options: SettlementOptions

    /// A list of paths, or of objects with `path` or `paths`, `source`, `encoding`, `decimal` and `columns`. `sources`: the
    /// account's; a file of an account with one source need not name it.
    static func read(_ node: ConfigurationTree?, sources: [String], secrets: SecretReader)
        throws(ConfigurationError) -> [SettlementConfiguration]
    {
        guard let node else { return [] }
        if case .object = node.value { return [try one(node, sources: sources, secrets: secrets)] }
        var all: [SettlementConfiguration] = []
        for element in try node.list() { all.append(try one(element, sources: sources, secrets: secrets)) }
        return all
    }

    private static func one(_ node: ConfigurationTree, sources: [String], secrets: SecretReader)
        throws(ConfigurationError) -> SettlementConfiguration
    {
        guard case .object = node.value else {
            let path = secrets.path(try node.string())
            guard sources.count == 1 else {
                throw node.fault("needs a source, since there are several: {path: \"…\", source: \"…\"}")
            }
            return SettlementConfiguration(paths: [path], options: SettlementOptions(source: sources[0]))
        }
        let members = try node.object(known: ["path", "paths", "source", "encoding", "decimal", "columns"])
        var paths = try members["paths"]?.strings() ?? []
        if let path = members["path"] { paths.append(try path.string()) }
        if paths.isEmpty { throw node.fault("needs 'path' or 'paths'") }
        let source = try members["source"]?.string() ?? (sources.count == 1 ? sources[0] : nil)
        guard let source else { throw node.fault("needs 'source', since there are several") }
        if let named = members["source"], !sources.contains(source) {
            throw named.fault("'\(source)' is no source here")
        }
        var options = SettlementOptions(source: source)
        options.encoding = try members["encoding"]?.string() ?? options.encoding
        options.decimal = try members["decimal"]?.word(SettlementOptions.DecimalMark.self)
        for (name, value) in try members["columns"]?.members() ?? [:] { options.columns[name] = try value.string() }
        return SettlementConfiguration(paths: paths.map(secrets.path), options: options)
    }
}
