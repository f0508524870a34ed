/// One-dimensional arrays as PostgreSQL's binary format carries them: dimensions, has-nulls flag, element type, length,
/// lower bound, then each element with its length.
enum BinaryArray {
    static func encode<Element>(
        _ elements: [Element], type: UInt32, into bytes: inout [UInt8],
        _ append: (Element, inout [UInt8]) -> Void
    ) {
        bytes.appendBigEndian(Int32(elements.isEmpty ? 0 : 1))
        bytes.appendBigEndian(Int32(0))
        bytes.appendBigEndian(type)
        if elements.isEmpty { return }
        bytes.appendBigEndian(Int32(elements.count))
        bytes.appendBigEndian(Int32(1))
        for element in elements {
            let place = bytes.count
            bytes.appendBigEndian(Int32(0))
            append(element, &bytes)
            let length = Int32(bytes.count - place - 4).bigEndian
            withUnsafeBytes(of: length) { raw in
                for (offset, byte) in raw.enumerated() { bytes[place + offset] = byte }
            }
        }
    }

    /// The elements' bytes; nil inside for null elements, nil as a whole for broken bytes or several dimensions.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer?]? {
        guard bytes.count >= 12 else { return nil }
        let dimensions = bytes.bigEndian(Int32.self)
        if dimensions == 0 { return [] }
        guard dimensions == 1, bytes.count >= 20 else { return nil }
        let count = Int(bytes.bigEndian(Int32.self, at: 12))
        var elements: [UnsafeRawBufferPointer?] = []
        var position = 20
        for _ in 0..<max(count, 0) {
            guard position + 4 <= bytes.count else { return nil }
            let length = Int(bytes.bigEndian(Int32.self, at: position))
            position += 4
            if length < 0 {
                elements.append(nil)
                continue
            }
            guard position + length <= bytes.count else { return nil }
            elements.append(UnsafeRawBufferPointer(rebasing: bytes[position..<position + length]))
            position += length
        }
        return elements
    }
}
