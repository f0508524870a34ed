/// Where quarantined records of files can be read again: `orders.csv:17` names a file by its base name alone.
struct FilePlaces {
    private let paths: [String: [String]]

    /// `paths` are the files that may be meant.
    init(_ paths: [String]) {
        self.paths = Dictionary(grouping: paths) { path in path.split(separator: "/").last.map(String.init) ?? path }
    }

    /// File name and line of a place; nil where it names none.
    static func split(_ place: String) -> (name: String, line: Int)? {
        guard let colon = place.lastIndex(of: ":"), let line = Int(place[place.index(after: colon)...]), line > 0
        else { return nil }
        return (String(place[..<colon]), line)
    }

    /// The files of this name, in the order in which they were given.
    func files(named name: String) -> [String] { paths[name] ?? [] }

    /// Records by the name of their file; those that name none get a reason.
    static func byFile(
        _ entries: [QuarantineList.Entry], _ outcome: inout RetryOutcome
    ) -> [(name: String, lines: [Int: [QuarantineList.Entry]])] {
        var files: [String: [Int: [QuarantineList.Entry]]] = [:]
        for entry in entries {
            if let place = split(entry.place) {
                files[place.name, default: [:]][place.line, default: []].append(entry)
            } else {
                outcome.reasons[entry.id] = "its file and line are not known"
            }
        }
        return files.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
