import Crypto
import FoundationEssentials

/// One file of `SQL/migrations`.
struct MigrationFile {
    let number: Int
    let name: String
    let text: String
    /// SHA-256 of the file's bytes.
    let digest: [UInt8]

    /// All files in order. They must be numbered from 1 without gaps or repeats and named in small letters, digits and
    /// underscores. Files that are no `.sql` are not looked at.
    static func all(in directory: String) throws(MigrationError) -> [MigrationFile] {
        guard let entries = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            throw MigrationError("cannot read the directory \(directory)")
        }
        var files: [MigrationFile] = []
        for name in entries.filter({ $0.hasSuffix(".sql") }).sorted() {
            guard let number = number(of: name) else {
                throw MigrationError("\(name) is not named like 0001_create_accounts.sql")
            }
            if number == files.count { throw MigrationError("\(name): number \(number) is given twice") }
            if number != files.count + 1 {
                throw MigrationError("\(name): number \(files.count + 1) is missing before it")
            }
            guard let data = try? Data(contentsOf: URL(filePath: "\(directory)/\(name)")),
                let text = String(validating: data, as: UTF8.self), !text.utf8.contains(0)
            else { throw MigrationError("\(name) cannot be read as UTF-8") }
            files.append(MigrationFile(number: number, name: name, text: text, digest: Digest.sha256(data)))
        }
        return files
    }

    private static func number(of name: String) -> Int? {
        let digits = name.utf8.prefix(4)
        let rest = name.utf8.dropFirst(4).dropLast(4)
        guard digits.count == 4, digits.allSatisfy({ (48...57).contains($0) }), rest.count >= 2, rest.first == 95,
            rest.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 95 })
        else { return nil }
        return Int(name.prefix(4))
    }
}
