/// Why the private cluster cannot run, and what to do about it.
package struct ClusterError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
