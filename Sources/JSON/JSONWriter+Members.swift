package import Payments

// A key and its value in one call. Nil is written as null: which members a document has must not depend on the data.
extension JSONWriter {
    package mutating func member(_ name: String, _ text: String?) {
        key(name)
        string(text)
    }

    package mutating func member(_ name: String, number: String?) {
        key(name)
        self.number(number)
    }

    package mutating func member(_ name: String, number: ExactDecimal?) {
        key(name)
        self.number(number)
    }

    package mutating func member(_ name: String, integer: (some BinaryInteger)?) {
        key(name)
        self.integer(integer)
    }

    package mutating func member(_ name: String, bool: Bool?) {
        key(name)
        self.bool(bool)
    }

    package mutating func member(_ name: String, strings: some Sequence<String>) {
        key(name)
        array { writer in
            for text in strings { writer.string(text) }
        }
    }

    package mutating func object<E: Error>(
        _ name: String, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        key(name)
        try object(body)
    }

    package mutating func array<E: Error>(
        _ name: String, _ body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        key(name)
        try array(body)
    }
}
