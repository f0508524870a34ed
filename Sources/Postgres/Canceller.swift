import CPostgres

/// Asks the server to stop what one connection is doing, from any thread: that statement then fails with `.cancelled`.
/// A request that arrives after the statement has ended may hit the connection's next one.
package struct Canceller: Sendable {
    private let box: Box

    init(_ connection: OpaquePointer) throws(PostgresError) {
        guard let pointer = PQgetCancel(connection) else {
            throw PostgresError(.connection, "the connection cannot be cancelled")
        }
        box = Box(pointer)
    }

    /// True where the request was delivered; whether it had an effect shows in the statement's outcome.
    @discardableResult
    package func cancel() -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
            PQcancel(box.pointer, message.baseAddress, 256) == 1
        }
    }

    /// `PGcancel` is immutable after its creation and `PQcancel` may be called from any thread.
    private final class Box: @unchecked Sendable {
        let pointer: OpaquePointer
        init(_ pointer: OpaquePointer) { self.pointer = pointer }
        deinit { PQfreeCancel(pointer) }
    }
}
