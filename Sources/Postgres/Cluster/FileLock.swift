import Glibc

/// An advisory lock on a file, which the kernel gives back when the process dies. Not inherited by children: a server
/// must not hold the lock of who started it.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Opens the file, making it for `owner` where it is missing.
    init(_ path: String, owner: ClusterOwner) throws(ClusterError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0 { throw ClusterError("cannot open \(path): \(String(cString: strerror(errno)))") }
        if getuid() == 0 { fchown(descriptor, owner.user, owner.group) }
    }

    deinit { close(descriptor) }

    /// Waits until nobody else holds it.
    func exclusive() throws(ClusterError) { try lock(LOCK_EX) }

    /// Waits until nobody holds it exclusively.
    func shared() throws(ClusterError) { try lock(LOCK_SH) }

    /// True where it was free.
    func tryExclusive() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    func unlock() { flock(descriptor, LOCK_UN) }

    private func lock(_ operation: Int32) throws(ClusterError) {
        while flock(descriptor, operation) != 0 {
            if errno != EINTR { throw ClusterError("the cluster's lock cannot be taken (errno \(errno))") }
        }
    }
}
