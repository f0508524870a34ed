import JSON
import Testing

@Suite("Redaction")
struct RedactionTests {
    private func kept(_ text: String, _ redaction: Redaction) throws -> String {
        let (bytes, _) = try redaction.kept(JSONDocument(text).root)
        #expect(throws: Never.self) { try JSONDocument(bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "commas are right wherever the cut falls, and the rest stays byte for byte",
        arguments: [
            (#"{"x":1,"a":2,"b":3}"#, #"{"a":2,"b":3}"#), (#"{"a":2,"x":1,"b":3}"#, #"{"a":2,"b":3}"#),
            (#"{"a":2,"b":3,"x":1}"#, #"{"a":2,"b":3}"#), (#"{"x":1}"#, "{}"), (#"{ "x" : 1 }"#, "{  }"),
            (#"{"x":1,"x":2,"a":3,"x":4,"x":5,"b":6,"x":7}"#, #"{"a":3,"b":6}"#), (#"{"x":1,"x":[2]}"#, "{}"),
            ("{\n  \"x\" : 1 ,\n  \"a\" : 1.10\n}", "{\n  \"a\" : 1.10\n}"),
            ("{\n  \"a\" : 1.10 ,\n  \"x\" : 1\n}", "{\n  \"a\" : 1.10\n}"),
            ("{\n  \"a\" : 1.10 ,\n  \"x\" : 1 ,\n  \"b\" : 2 }", "{\n  \"a\" : 1.10 ,\n  \"b\" : 2 }"),
            (#"{"\u0078":1,"a":2}"#, #"{"a":2}"#), (#"{"a":{"x":1},"X":2}"#, #"{"a":{"x":1},"X":2}"#),
            ("[]", "[]"), (#""x""#, #""x""#),
        ])
    func commas(text: String, expected: String) throws {
        #expect(try kept(text, Redaction(paths: ["x"])) == expected)
    }

    @Test("nested members, wildcards and arrays")
    func paths() throws {
        let text =
            #"{"customer":{"email":"e","id":1,"addresses":[{"city":"c"}]},"p":{"token":"t","k":1},"token":"t","#
            + #""q":{"r":{"token":"t"}},"mfa":[{"url":"u","s":1},{"url":"u"}],"list":[1,2]}"#
        #expect(
            try kept(text, Redaction(paths: ["customer.email", "customer.addresses"]))
                == text.replacing(#""email":"e","#, with: "").replacing(#","addresses":[{"city":"c"}]"#, with: ""))
        #expect(
            try kept(text, Redaction(paths: ["*.token"])) == text.replacing(#"{"token":"t","k":1}"#, with: #"{"k":1}"#))
        let deep = try kept(text, Redaction(paths: ["**.token"]))
        #expect(!deep.contains("token"))
        #expect(deep.contains(#""q":{"r":{}}"#))
        #expect(try kept(text, Redaction(paths: ["mfa[].url"])).contains(#""mfa":[{"s":1},{}]"#))
        #expect(try kept(text, Redaction(paths: ["list[]"])).contains(#""list":[]"#))
        #expect(try kept(text, Redaction(paths: ["customer.**"])).hasPrefix(#"{"p":"#))
        #expect(try kept(text, Redaction(paths: ["customer.*"])).contains(#""customer":{}"#))
        #expect(try kept(text, Redaction(keepingOnly: ["**"])) == text)
        #expect(try kept(text, Redaction(paths: ["absent", "customer.absent.more", "list.x"])) == text)
    }

    @Test("a member whose shape changes from object to array, or back, does not start to leak")
    func shapes() throws {
        #expect(try kept(#"{"a":[{"url":"u"}]}"#, Redaction(paths: ["a.url"])) == #"{"a":[{}]}"#)
        #expect(try kept(#"{"a":{"url":"u"}}"#, Redaction(paths: ["a[].url"])) == #"{"a":{}}"#)
        #expect(try kept(#"{"a":"secret","b":1}"#, Redaction(paths: ["a[]"])) == #"{"b":1}"#)
        #expect(try kept(#"[[{"url":"u"}]]"#, Redaction(paths: ["url"])) == "[[{}]]")
    }

    static let details = Redaction(
        paths: ["secret", "serviceProviderDetails.details.token"],
        keeping: ["serviceProviderDetails": ["details.status", "codes", "open.**", "details.token"]])

    @Test(
        "of an untyped object only listed scalars stay",
        arguments: [
            (
                #"{"serviceProviderDetails":{"details":{"status":"paid","iban":"DE1"},"name":"N"},"k":1}"#,
                #"{"serviceProviderDetails":{"details":{"status":"paid"}},"k":1}"#
            ),
            (#"{"serviceProviderDetails":"free text","k":1}"#, #"{"k":1}"#),
            (#"{"serviceProviderDetails":null,"k":1}"#, #"{"serviceProviderDetails":null,"k":1}"#),
            (
                #"{"serviceProviderDetails":["free",{"details":{"status":1,"x":2}}]}"#,
                #"{"serviceProviderDetails":[{"details":{"status":1}}]}"#
            ),
            (
                #"{"serviceProviderDetails":{"details":{"status":{"name":"N"}}}}"#,
                #"{"serviceProviderDetails":{"details":{"status":{}}}}"#
            ),
            (#"{"serviceProviderDetails":{"details":"N"}}"#, #"{"serviceProviderDetails":{}}"#),
            (
                #"{"serviceProviderDetails":{"codes":[1,null,{"a":1}],"open":{"a":{"b":[1]}}}}"#,
                #"{"serviceProviderDetails":{"codes":[1,null,{}],"open":{"a":{"b":[1]}}}}"#
            ),
            (#"{"serviceProviderDetails":{"details":{"token":"t"}}}"#, #"{"serviceProviderDetails":{"details":{}}}"#),
        ])
    func allowList(text: String, expected: String) throws { #expect(try kept(text, Self.details) == expected) }

    @Test("the keep-only form keeps what is listed and nothing else")
    func keepingOnly() throws {
        let redaction = Redaction(keepingOnly: ["id", "status", "kyc.state"])
        #expect(
            try kept(#"{"name":"N","id":7,"kyc":{"state":"ok","doc":"D"},"x":{"y":1}}"#, redaction)
                == #"{"id":7,"kyc":{"state":"ok"}}"#)
        #expect(try kept(#"[{"id":1,"n":2}]"#, redaction) == #"[{"id":1}]"#)
        #expect(try kept(#""free text""#, redaction) == "null")
    }

    @Test("the number of cuts is told, and spans join to the kept bytes")
    func countsAndSpans() throws {
        let text = #"{"a":{"x":1,"y":2},"x":[1,2],"b":[{"x":1}]}"#
        let element = try JSONDocument("[0, \(text)]").root.element(1)
        let value = try #require(element)
        let redaction = Redaction(paths: ["**.x"])
        let (bytes, cut) = redaction.kept(value)
        #expect(cut == 3)
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":{"y":2},"b":[{}]}"#)
        var joined: [UInt8] = []
        redaction.forEachKeptSpan(of: value) { joined += $0 }
        #expect(joined == bytes)
        var pack: [UInt8] = [1, 2, 3]
        #expect(redaction.append(value, to: &pack) == 3)
        #expect(pack == [1, 2, 3] + bytes)
    }

    @Test("volatile members leave the digest's bytes alone")
    func volatileMembers() throws {
        let first = try JSONDocument(#"{"key":"abc","id":1,"amount":1.10}"#).root
        let second = try JSONDocument(#"{"key":"zzz","id":1,"amount":1.10}"#).root
        let changed = try JSONDocument(#"{"key":"abc","id":1,"amount":1.1}"#).root
        #expect(bytesWithout(first, paths: ["key"]) == bytesWithout(second, paths: ["key"]))
        #expect(bytesWithout(first, paths: ["key"]) != bytesWithout(changed, paths: ["key"]))
        let redaction = Redaction(paths: ["id"]).cutting(["key"])
        #expect(String(decoding: redaction.kept(first).bytes, as: UTF8.self) == #"{"amount":1.10}"#)
    }

    @Test("a name that others choose stays as long as it is opaque, however it is escaped")
    func opaque() throws {
        let redaction = Redaction(paths: ["**.secret"], opaque: ["**.tag"])
        for value in [#""ord-1001""#, "7", "null", "true", #""""#, #""a/b+c=""#, #""é""#, #""ord\u002d7\/8""#] {
            let text = #"{"a":1,"tag":\#(value),"b":{"tag":\#(value)}}"#
            #expect(try kept(text, redaction) == text)
        }
        #expect(try kept(#"{"secret":1,"tag":"x"}"#, redaction) == #"{"tag":"x"}"#)
    }

    @Test("addresses and words leave a mask in their place, containers nothing of what is in them")
    func masks() throws {
        let redaction = Redaction(paths: ["**.secret"], opaque: ["**.tag"])
        for (value, mask) in [
            (#""ann@example.com""#, #""@""#), (#""Ann Lee""#, #""@""#), (#""ann\u0040example.com""#, #""@""#),
            (#""a\tb""#, #""@""#), (#"["ann@example.com"]"#, "[]"), (#"{"x":1}"#, "{}"),
        ] {
            let text = #"{"secret":1,"a":1,"tag":\#(value),"b":[{"tag": \#(value),"secret":2}]}"#
            let expected = #"{"a":1,"tag":\#(mask),"b":[{"tag": \#(mask)}]}"#
            #expect(try kept(text, redaction) == expected)
            #expect(try kept(expected, redaction) == expected)
            #expect(redaction.kept(try JSONDocument(text).root).cut == 4)
            #expect(redaction.kept(try JSONDocument(expected).root).cut == 0)
            var joined: [UInt8] = []
            redaction.forEachKeptSpan(of: try JSONDocument(text).root) { joined += $0 }
            #expect(String(decoding: joined, as: UTF8.self) == expected)
        }
    }

    @Test("a mask keeps the beginning that says something; of an allow-list only listed members are masked")
    func rules() throws {
        let rule = OpaqueRule(marks: ["sandbox-"]) { $0.allSatisfy { $0 == "-" || $0.isNumber } }
        let redaction = Redaction(paths: [], opaque: ["ref"], by: rule)
        #expect(try kept(#"{"ref":"sandbox-ann"}"#, redaction) == #"{"ref":"sandbox-@"}"#)
        #expect(try kept(#"{"ref":"ann-sandbox-"}"#, redaction) == #"{"ref":"@"}"#)
        #expect(try kept(#"{"ref":"12-3"}"#, redaction) == #"{"ref":"12-3"}"#)
        let closed = Redaction(keepingOnly: ["ref", "id"], opaque: ["**.ref"])
        #expect(try kept(#"{"id":1,"ref":"a b","x":{"ref":"a b"}}"#, closed) == #"{"id":1,"ref":"@"}"#)
    }
}
