import CSimdJSON

/// One parsed document: its bytes and a flat tape of what stands where in them. Numbers stay source text, and each
/// element knows its exact byte range, so that what is kept as evidence is what the provider sent.
package struct JSONDocument: Sendable {
    /// What to do with values that are valid JSON and still no usable text or number: `\u0000` (PostgreSQL cannot store
    /// it), lone surrogates (no Unicode), numbers longer than 1024 characters.
    package enum UnreadableValues: Sendable {
        /// The document is refused.
        case refuse
        /// The document is accepted and `isReadable` is false for the value and all around it: one bad row of a page
        /// must cost one row. The value's own text reads as nil.
        case mark
    }

    package static let standardDepth = 64
    /// Bytes. Far above any page; what is larger is no page.
    package static let standardSize = 256 << 20

    let tape: Tape

    /// Parses a whole document: exactly one value, UTF-8, nothing behind it but blanks.
    package init(
        _ bytes: [UInt8], maximumDepth: Int = standardDepth, maximumSize: Int = standardSize,
        unreadable: UnreadableValues = .refuse
    ) throws(JSONFault) {
        // Offsets are 32 bits wide.
        if bytes.count > min(maximumSize, Int(UInt32.max) - 64) {
            throw JSONFault("larger than \(maximumSize) bytes", at: maximumSize)
        }
        tape = try Tape(bytes, maximumDepth: maximumDepth, unreadable: unreadable)
    }

    package init(
        _ text: some StringProtocol, maximumDepth: Int = standardDepth, maximumSize: Int = standardSize,
        unreadable: UnreadableValues = .refuse
    ) throws(JSONFault) {
        try self.init(
            Array(text.utf8), maximumDepth: maximumDepth, maximumSize: maximumSize, unreadable: unreadable)
    }

    package var root: JSONValue { JSONValue(tape: tape, index: 0) }

    /// True when any object holds a key twice. Look-ups answer with the first; nobody can know which was meant.
    package var hasDuplicateKeys: Bool { root.hasDuplicateKeys }
}

/// The document's bytes and nodes, shared by all views of them.
final class Tape: Sendable {
    let bytes: [UInt8]
    let nodes: ContiguousArray<csimdjson_node>

    init(_ bytes: [UInt8], maximumDepth: Int, unreadable: JSONDocument.UnreadableValues) throws(JSONFault) {
        var fault: JSONFault?
        let depth = max(maximumDepth, 0)
        nodes = bytes.withUnsafeBufferPointer { input in
            var bound = 0
            var offset = 0
            let code = csimdjson_scan(input.baseAddress, input.count, depth, &bound, &offset)
            guard code == CSIMDJSON_OK else {
                fault = JSONFault(code: code, offset: offset)
                return []
            }
            return ContiguousArray(unsafeUninitializedCapacity: bound) { output, count in
                var marked = 0
                var firstMarked = 0
                let code = csimdjson_walk(
                    input.baseAddress, input.count, depth, output.baseAddress, bound, &count, &offset,
                    &marked, &firstMarked)
                if code != CSIMDJSON_OK {
                    fault = JSONFault(code: code, offset: offset)
                } else if marked > 0, unreadable == .refuse {
                    fault = JSONFault("a text or number that cannot be used", at: firstMarked)
                }
            }
        }
        if let fault { throw fault }
        self.bytes = bytes
    }
}

extension JSONDocument {
    /// True when `bytes` are one JSON document; nothing of it is kept, and no byte behind them is read.
    package static func isWellFormed(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = standardDepth) -> Bool {
        var bound = 0
        var offset = 0
        guard csimdjson_scan(bytes.baseAddress, bytes.count, maximumDepth, &bound, &offset) == CSIMDJSON_OK
        else { return false }
        return withUnsafeTemporaryAllocation(of: csimdjson_node.self, capacity: bound) { nodes in
            var (count, marked, first) = (0, 0, 0)
            return csimdjson_walk(
                bytes.baseAddress, bytes.count, maximumDepth, nodes.baseAddress, bound, &count, &offset, &marked, &first
            )
                == CSIMDJSON_OK
        }
    }
}
