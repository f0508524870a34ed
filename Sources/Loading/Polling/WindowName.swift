/// How the checkpoint of a window is named: `backfill`, `backfill/2`, …
struct WindowName {
    let base: String
    let number: Int

    init(base: String, number: Int) {
        self.base = base
        self.number = number
    }

    init(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1)
        base = parts.first.map(String.init) ?? text
        number = parts.count > 1 ? Int(parts[1]) ?? 2 : 1
    }

    var text: String { number > 1 ? "\(base)/\(number)" : base }
}
