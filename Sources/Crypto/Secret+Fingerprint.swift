package import Payments

extension Secret {
    /// Names a key without giving it away, so that "which key verified this?" can be answered later: the first 12
    /// hexadecimal digits of SHA-256 over `tieout-key:` and the text. The prefix keeps it from matching any table of
    /// plain digests.
    package var fingerprint: String {
        String(Hex.encode(Digest.sha256(Array("tieout-key:\(reveal())".utf8))).prefix(12))
    }
}
