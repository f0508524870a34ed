/// A deterministic source of numbers (SplitMix64). The same seed and labels give the same sequence on every machine;
/// nothing in the sandbox draws from anywhere else, so that a seed names a whole world.
package struct Randomness: Sendable {
    private var state: UInt64

    /// One sequence per `labels` (which story, which part of it): a story's numbers do not depend on how many stories
    /// were told before it.
    package init(seed: UInt64, _ labels: UInt64...) {
        state = seed
        for label in labels {
            state = Self.mix(state &+ 0x9E37_79B9_7F4A_7C15) ^ Self.mix(label &+ 0x632B_E59B_D9B4_E019)
        }
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// A seed from a seed and a label.
    static func mixed(_ seed: UInt64, _ label: UInt64) -> UInt64 { mix(mix(seed) ^ label) }

    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number in `0..<bound`; `bound` is at least one.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    package mutating func between(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    /// True in `share` of a thousand draws.
    package mutating func chance(perMille share: Int) -> Bool { below(1000) < share }

    package mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}
