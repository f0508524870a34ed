/// The help, made from the same lists that the parser reads.
enum HelpPage {
    /// The page of all commands, or of the one that `words` name.
    static func text(for words: [String]) -> String {
        let named = Command.all.filter { !words.isEmpty && $0.words.starts(with: words) }
        return named.isEmpty ? overview : named.map(page).joined(separator: "\n")
    }

    private static var overview: String {
        var text = """
            tieout: pulls payments from providers, ties them to orders and webhooks, and explains every difference.

            usage: tieout COMMAND [OPTIONS]


            """
        let width = (Command.all.map(\.usage.count).max() ?? 0) + 2
        for command in Command.all { text += "  \(pad(command.usage, width))\(command.help)\n" }
        text += "\noptions that every command knows:\n"
        for name in ["account", "config", "root", "now", "log", "quiet", "help"] { text += line(for: name) }
        text += """

            exit status: 0 done · 1 internal failure · 2 usage or configuration · 3 breaks at or above --fail-on,
              or totals do not tie out · 4 done but incomplete · 5 newly quarantined rows · 75 try later
            `tieout COMMAND --help` lists a command's options.

            """
        return text
    }

    private static func page(of command: Command) -> String {
        var text = "usage: tieout \(command.usage)\n\n\(command.help)\n"
        if !command.options.isEmpty {
            text += "\noptions:\n"
            for name in command.options { text += line(for: name) }
        }
        return text
    }

    private static func line(for name: String) -> String {
        guard let option = OptionList.all.first(where: { $0.name == name }) else { return "" }
        let head = "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
        return "  \(pad(head, 22))\(option.help)\n"
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
