/// Finds what somebody probably meant.
enum Suggestion {
    /// The known word with the fewest edits from `word`, if they are few enough to be a slip.
    static func nearest(to word: String, among known: [String]) -> String? {
        let ranked = known.map { (word: $0, distance: distance(word, $0)) }.sorted {
            ($0.distance, $0.word) < ($1.distance, $1.word)
        }
        guard let best = ranked.first, best.distance <= max(2, word.count / 3) else { return nil }
        return best.word
    }

    /// Levenshtein distance over characters.
    static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a)
        let b = Array(b)
        var row = Array(0...b.count)
        for i in 0..<a.count {
            var diagonal = row[0]
            row[0] = i + 1
            for j in 0..<b.count {
                let substituted = diagonal + (a[i] == b[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}
