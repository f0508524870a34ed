/// Where a story plays: the source that its payments belong to, and what their ids look like.
package struct Casting: Sendable {
    package let source: String
    /// What the merchant's order numbers begin with.
    let bookPrefix: String
    let transactionID: @Sendable (inout Randomness) -> String

    /// Meld's, of which there was a world before there was any other.
    package static let meld = Casting(
        source: Names.source, bookPrefix: "A-", transactionID: { Identifiers.meld(&$0) })

    init(source: String, bookPrefix: String, transactionID: @escaping @Sendable (inout Randomness) -> String) {
        self.source = source
        self.bookPrefix = bookPrefix
        self.transactionID = transactionID
    }

    init(_ profile: ProviderProfile) {
        self.init(source: profile.source, bookPrefix: profile.bookPrefix, transactionID: profile.transactionID)
    }
}
