import Foundation
import Loading
import Payments

/// SIGTERM and SIGINT ask the run to end: it finishes the page in hand, commits and exits 75. A second one ends at once.
enum Signals {
    /// Handlers run on a thread of their own: everything they touch is safe to touch from any thread.
    static func forward(to stop: StopFlag) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A reader that closed its end (`tieout breaks list | head`) is an ordinary write error.
        signal(SIGPIPE, SIG_IGN)
        let waited = set
        Thread.detachNewThread {
            var waited = waited
            var number: Int32 = 0
            while sigwait(&waited, &number) == 0 {
                if stop.isRequested { _exit(75) }
                stop.request()
            }
        }
    }

    static var executablePath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments.first
            ?? ""
    }
}

/// The machine's time and its streams, where the program meets the world.
enum StandardStreams {
    enum Stream: Int32 { case output = 1, errors = 2 }

    static func machineTime() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Unbuffered: a line is either out or not, whatever happens next.
    static func write(_ text: String, to stream: Stream) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(stream.rawValue, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                return
            }
        }
    }
}
