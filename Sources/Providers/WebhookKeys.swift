import Crypto
import Payments

/// The secrets that prove the deliveries of one source, and how a check of them ends.
struct WebhookKeys: Sendable {
    private let secrets: [(secret: Secret, fingerprint: String)]

    init(_ secrets: [Secret]) {
        self.secrets = secrets.map { ($0, $0.fingerprint) }
    }

    /// Names the secrets without giving them away, newest first.
    var fingerprints: [String] { secrets.map(\.fingerprint) }

    /// The verdict on a delivery whose signature is of the right form: `verdict` where one of the source's own secrets
    /// proves it, or one of `others` (of the payment, where each has its own).
    func check(
        also others: [Secret], as verdict: Verdict = .valid, _ proves: (Secret) -> Bool
    ) -> SignatureCheck {
        check(also: others, as: verdict, form: { proves($0) ? SignatureForm.only : nil })
    }

    /// The same where a delivery may be signed in several ways. `form` says in which one the secret proves it; nil: in
    /// none.
    func check(
        also others: [Secret], as verdict: Verdict = .valid, form: (Secret) -> SignatureForm?
    ) -> SignatureCheck {
        if secrets.isEmpty && others.isEmpty { return SignatureCheck(.noKey) }
        for (secret, fingerprint) in secrets {
            if let form = form(secret) { return SignatureCheck(verdict, keyFingerprint: fingerprint, form: form) }
        }
        for secret in others {
            if let form = form(secret) {
                return SignatureCheck(verdict, keyFingerprint: secret.fingerprint, form: form)
            }
        }
        return SignatureCheck(.invalid)
    }
}
