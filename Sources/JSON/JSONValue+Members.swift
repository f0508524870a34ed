import CSimdJSON
import Glibc

extension JSONValue {
    /// The member named `key`, the first where there are several; nil when this is no object or has none. A member that
    /// is null is there, with kind `null`.
    package subscript(_ key: String) -> JSONValue? {
        var key = key
        return key.withUTF8 { member($0) }
    }

    /// Follows member names joined by dots; `name[2]` takes an element. Keys that hold dots are reached one by one.
    package subscript(path path: String) -> JSONValue? {
        var path = path
        let named: JSONValue?? = path.withUTF8 { bytes in
            bytes.contains(UInt8(ascii: "[")) ? nil : .some(member(at: bytes))
        }
        if let named { return named }
        var value = self
        for segment in path.split(separator: ".", omittingEmptySubsequences: false) {
            let name = segment.prefix { $0 != "[" }
            if !name.isEmpty || segment.isEmpty {
                guard let member = value[String(name)] else { return nil }
                value = member
            }
            for position in segment[name.endIndex...].split(separator: "[") {
                guard position.last == "]", let number = Int(position.dropLast()), let element = value.element(number)
                else { return nil }
                value = element
            }
        }
        return value
    }

    /// Member names only, as nearly every path: no text is made of them. A mapping asks for dozens of paths of each row.
    private func member(at path: UnsafeBufferPointer<UInt8>) -> JSONValue? {
        var value = self
        var start = path.startIndex
        while true {
            let end = path[start...].firstIndex(of: UInt8(ascii: ".")) ?? path.endIndex
            guard let member = value.member(UnsafeBufferPointer(rebasing: path[start..<end])) else { return nil }
            if end == path.endIndex { return member }
            value = member
            start = end + 1
        }
    }

    /// The element at `position` of an array; nil when this is none or is shorter. Takes time in proportion.
    package func element(_ position: Int) -> JSONValue? {
        guard isArray, position >= 0, position < count else { return nil }
        return elements.dropFirst(position).first { _ in true }
    }

    /// An object's members in the order they were written, repeated keys included; none for other kinds.
    package var members: Members { Members(children: Children(of: self, when: isObject)) }

    /// An array's elements; none for other kinds.
    package var elements: Elements { Elements(children: Children(of: self, when: isArray)) }

    /// The member's key, unescaped, as UTF-8; nil for what is no member.
    package var keyBytes: ArraySlice<UInt8>? {
        guard has(CSIMDJSON_HAS_KEY) else { return nil }
        let inside = tape.bytes[Int(node.key_start)..<Int(node.key_end)]
        return has(CSIMDJSON_KEY_ESCAPED) ? unescaped(inside)[...] : inside
    }

    private func member(_ key: UnsafeBufferPointer<UInt8>) -> JSONValue? {
        guard isObject else { return nil }
        let hash = csimdjson_hash(key.baseAddress, key.count)
        return tape.nodes.withUnsafeBufferPointer { nodes in
            var child = index + 1
            let end = Int(nodes[index].next)
            while child < end {
                if nodes[child].key_hash == hash, keyEquals(nodes[child], key) {
                    return JSONValue(tape: tape, index: child)
                }
                child = Int(nodes[child].next)
            }
            return nil
        }
    }

    private func keyEquals(_ node: csimdjson_node, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        if Int(node.flags) & CSIMDJSON_KEY_ESCAPED != 0 {
            return unescaped(tape.bytes[Int(node.key_start)..<Int(node.key_end)]).elementsEqual(key)
        }
        let size = Int(node.key_end - node.key_start)
        guard size == key.count, let key = key.baseAddress else { return size == key.count }
        return tape.bytes.withUnsafeBufferPointer { bytes in
            guard let bytes = bytes.baseAddress else { return false }
            return memcmp(bytes + Int(node.key_start), key, size) == 0
        }
    }

    /// Walks the children of one container.
    struct Children {
        let tape: Tape
        var next: Int
        let end: Int

        init(of value: JSONValue, when fits: Bool) {
            tape = value.tape
            next = value.index + 1
            end = fits ? Int(value.node.next) : next
        }

        mutating func nextChild() -> JSONValue? {
            guard next < end else { return nil }
            defer { next = Int(tape.nodes[next].next) }
            return JSONValue(tape: tape, index: next)
        }
    }

    package struct Members: Sequence, IteratorProtocol {
        var children: Children

        package mutating func next() -> (key: String, value: JSONValue)? {
            guard let value = children.nextChild() else { return nil }
            return (String(decoding: value.keyBytes ?? [], as: UTF8.self), value)
        }
    }

    package struct Elements: Sequence, IteratorProtocol {
        var children: Children

        package mutating func next() -> JSONValue? { children.nextChild() }
    }
}
