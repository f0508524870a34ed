import Foundation
import Loading
import Payments
import Synchronization

/// SIGTERM, SIGINT and SIGHUP ask the run to end: it finishes the page in hand, commits and exits 75. A second one ends at
/// once.
enum Signals {
    /// Catches the signals. The handler itself only passes the number on: a thread of its own takes it up, and may touch
    /// everything that is safe to touch from any thread. (Blocking the signals instead does not do: the main thread of a
    /// program that awaits something waits with no signal blocked.)
    static func forward(to stop: StopFlag) {
        // A reader that closed its end (`tieout breaks list | head`) is an ordinary write error.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (reader, writer) = (ends[0], ends[1])
        mailbox.store(writer, ordering: .sequentiallyConsistent)
        Thread.detachNewThread {
            var number: UInt8 = 0
            while true {
                let count = read(reader, &number, 1)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { return }
                if stop.isRequested { _exit(75) }
                stop.request()
            }
        }
        // What the caller has switched off stays off: `nohup` and background jobs of a shell mean it.
        for number in [SIGTERM, SIGINT, SIGHUP] where number == SIGTERM || !isIgnored(number) {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = passOn
            action.sa_flags = SA_RESTART
            sigaction(number, &action, nil)
        }
    }

    /// Where the handler writes.
    fileprivate static let mailbox = Atomic<Int32>(-1)

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    static var executablePath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments.first
            ?? ""
    }
}

/// A handler may call little: `write` is on the list.
private func passOn(_ number: Int32) {
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(Signals.mailbox.load(ordering: .relaxed), &byte, 1)
    errno = before
}

/// The machine's time and its streams, where the program meets the world.
enum StandardStreams {
    enum Stream: Int32 { case output = 1, errors = 2 }

    /// Opens what the caller has closed: else the next file or socket would get the number, and be written into.
    static func open() {
        for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
            _ = Foundation.open("/dev/null", number == 0 ? O_RDONLY : O_WRONLY)
        }
    }

    static func machineTime() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Unbuffered: a line is either out or not, whatever happens next. Nobody can be told that standard error fails, and
    /// a reader that went away wants no more.
    static func write(_ text: String, to stream: Stream) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(stream.rawValue, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var wait = pollfd(fd: stream.rawValue, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            case EPIPE: return
            default:
                if stream == .output { outputFailed.withLock { $0 = true } }
                return
            }
        }
    }

    /// True where standard output did not take everything: a full disk must not pass for a list.
    static var hasOutputFailed: Bool { outputFailed.withLock { $0 } }
    private static let outputFailed = Mutex(false)
}
