import CCurl
import Glibc
import Synchronization

/// The thread that drives all transfers of a client. Everything but the inbox belongs to that thread.
/// `@unchecked`: the inbox is under a lock and `curl_multi_wakeup` is the one call libcurl permits from elsewhere.
final class Engine: @unchecked Sendable {
    enum Command {
        case start(Transfer)
        case cancel(id: Int)
        case stop
    }

    private struct Inbox {
        var commands: [Command] = []
        var isOpen = true
    }

    private let inbox = Mutex(Inbox())
    private let multi: UnsafeMutableRawPointer
    private let pool: BufferPool
    private let maxPerHost: Int

    // Of the engine's thread only.
    private var running: [UnsafeMutableRawPointer: Transfer] = [:]
    private var runningPerHost: [String: Int] = [:]
    private var waiting: [Transfer] = []
    private var idle: [EasyHandle] = []

    private static let initialised: Bool = {
        tieout_keep_memory()
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    init?(_ configuration: HTTPConfiguration, pool: BufferPool) {
        guard Self.initialised, let multi = curl_multi_init() else { return nil }
        self.multi = multi
        self.pool = pool
        maxPerHost = max(1, configuration.maxConnectionsPerHost)
        tieout_set_multi_long(multi, CURLMOPT_MAXCONNECTS, maxPerHost * 4)
    }

    /// Hands a command to the thread. False once it has stopped taking any.
    func submit(_ command: Command) -> Bool {
        inbox.withLock { inbox in
            guard inbox.isOpen else { return false }
            inbox.commands.append(command)
            // Under the lock: the handle lives as long as the inbox is open.
            curl_multi_wakeup(multi)
            return true
        }
    }

    /// The thread's whole life.
    func run() {
        while true {
            let commands = inbox.withLock { inbox in
                let taken = inbox.commands
                inbox.commands = []
                return taken
            }
            var stops = false
            for command in commands {
                switch command {
                case .start(let transfer): waiting.append(transfer)
                case .cancel(let id): cancel(id)
                case .stop: stops = true
                }
            }
            if stops { break }
            startWaiting()
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            if finishDone() { continue }
            // libcurl shortens this by its own timers; a command ends it at once.
            curl_multi_poll(multi, nil, 0, 60_000, nil)
        }
        shutDown()
    }

    private func startWaiting() {
        guard !waiting.isEmpty else { return }
        var still: [Transfer] = []
        for transfer in waiting {
            if runningPerHost[transfer.authority, default: 0] < maxPerHost {
                start(transfer)
            } else {
                still.append(transfer)
            }
        }
        waiting = still
    }

    private func start(_ transfer: Transfer) {
        guard let easy = idle.popLast() ?? EasyHandle() else { return transfer.fail(.closed, pool: pool) }
        transfer.prepare(easy, buffer: pool.take())
        guard curl_multi_add_handle(multi, easy.pointer) == CURLM_OK else { return transfer.fail(.closed, pool: pool) }
        running[easy.pointer] = transfer
        runningPerHost[transfer.authority, default: 0] += 1
    }

    /// Hands out what has finished. True if anything had: a place may be free for who waits.
    private func finishDone() -> Bool {
        var any = false
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let pointer = message.pointee.easy_handle,
                let transfer = running[pointer]
            else { continue }
            any = true
            let answer = transfer.outcome(tieout_message_result(message), pool: pool)
            remove(transfer)
            transfer.resume(answer)
        }
        return any
    }

    private func cancel(_ id: Int) {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: index).fail(.cancelled, pool: pool)
        } else if let transfer = running.values.first(where: { $0.id == id }) {
            remove(transfer)
            transfer.fail(.cancelled, pool: pool)
        }
    }

    /// Takes the transfer off libcurl; no callback sees it afterwards.
    private func remove(_ transfer: Transfer) {
        guard let easy = transfer.releaseHandle() else { return }
        curl_multi_remove_handle(multi, easy.pointer)
        running[easy.pointer] = nil
        let count = runningPerHost[transfer.authority, default: 1] - 1
        runningPerHost[transfer.authority] = count > 0 ? count : nil
        easy.reset()
        if idle.count < maxPerHost { idle.append(easy) }
    }

    private func shutDown() {
        let late = inbox.withLock { inbox in
            inbox.isOpen = false
            let taken = inbox.commands
            inbox.commands = []
            return taken
        }
        for transfer in running.values {
            remove(transfer)
            transfer.fail(.closed, pool: pool)
        }
        for transfer in waiting { transfer.fail(.closed, pool: pool) }
        waiting = []
        for case .start(let transfer) in late { transfer.fail(.closed, pool: pool) }
        idle = []
        curl_multi_cleanup(multi)
    }
}

/// Entry of the engine's thread; takes over one reference to the engine.
func runEngine(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<Engine>.fromOpaque(context).takeRetainedValue().run() }
    return nil
}
