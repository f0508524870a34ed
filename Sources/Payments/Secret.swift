/// A credential. Its description is a fixed mask, so that no log, error or report can carry it by accident; whoever
/// needs the text asks for `reveal()` by name.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let text: String

    package init(_ text: String) { self.text = text }

    package func reveal() -> String { text }
    package var isEmpty: Bool { text.isEmpty }

    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
