/// Members that hold personal data wherever they stand, by the names that APIs commonly give them. No provider that is read
/// here documents most of them; one that begins to send them must not begin to leak. Each provider's own list names what its
/// documents name beside these.
enum PersonalData {
    static let paths = Spelling.both(names.map { "**.\($0)" })

    /// No name here may be one that a mapping reads.
    private static let names = [
        "account_holder", "account_holder_name", "billing_address", "birth_date", "birthdate", "card_holder_name",
        "cardholder", "cardholder_name", "client_ip", "client_ip_address", "customer_name", "date_of_birth", "dob",
        "email", "email_address", "family_name", "first_name", "full_name", "given_name", "holder_name",
        "home_address", "ip_address", "last_name", "legal_name", "middle_name", "mobile_number", "national_id",
        "passport_number", "phone", "phone_number", "postal_address", "residential_address", "shipping_address",
        "social_security_number", "ssn", "street_address", "surname", "tax_id", "telephone", "user_ip",
    ]
}

/// A name as both kinds of APIs write it: `first_name`, `firstName`.
enum Spelling {
    /// `first_name` is `firstName`.
    static func camel(_ name: String) -> String {
        let parts = name.split(separator: "_")
        return parts.prefix(1).joined() + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Each name as it is and in the other spelling.
    static func both(_ names: [String]) -> [String] { Array(Set(names + names.map(camel))).sorted() }
}
