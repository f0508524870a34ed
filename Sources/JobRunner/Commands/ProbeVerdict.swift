import HTTP
import Loading
import Providers

/// What an answer to a source's probe tells the operator, and what to look at.
struct ProbeVerdict {
    let isGood: Bool
    let what: String
    let advice: String

    init(_ answer: HTTPResponse, of source: PreparedSource) {
        let configuration = source.configuration
        switch answer.status {
        case _ where source.provider.refusesCredentials(answer):
            isGood = false
            what = "the credentials are refused (\(answer.status))"
            // Which of them is wrong a provider seldom says.
            let names = (["api_key"] + configuration.secrets.keys.sorted()).map { "`\($0)`" }
            let all =
                names.count == 1
                ? names[0] : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
            let own = configuration.apiBase == nil ? "" : ", and `api_base`"
            advice =
                "check \(all)\(names.count == 1 ? ", and that it belongs" : ": any of them may be wrong; and that they belong") to environment \(configuration.environment.rawValue)\(own)"
        case 200..<300:
            isGood = true
            what = "answers, credentials accepted"
            advice = ""
        case 404:
            isGood = false
            what = "answers 404: there is nothing at the address that is asked"
            let named = source.provider.addressOptions.map { "`options.\($0)`" }
            advice = "check " + (named + ["`api_base`"]).joined(separator: ", ") + ": they make the address"
        case 429, 500...:
            isGood = false
            what = "answers \(answer.status)"
            advice = "try again later, or ask the provider"
        default:
            isGood = false
            what = "answers \(answer.status)"
            advice = "check `api_base` and `options`; the provider's documents say what it means"
        }
    }
}
