import Foundation
import Payments
import Synchronization
import Testing

@testable import HTTP

/// One at a time: they measure time, descriptors and memory.
@Suite("the client's thread: cancellation, closing, leaks", .serialized, .timeLimit(.minutes(15)))
struct ThreadTests {
    let server: TestServer

    init() throws { server = try TestServer.get() }

    private func kind(_ client: HTTPClient, _ path: String) async -> HTTPError.Kind? {
        await failure { () async throws(HTTPError) in try await client.send(HTTPRequest(url: server.url(path))) }?.kind
    }

    // Bounds that hold while hundreds of other tests block the same few threads, and far below the server's silence. On
    // an idle machine each takes about a millisecond.
    @Test("a cancelled request ends at once, running or waiting for its turn")
    func cancellation() async throws {
        let client = try server.client { $0.maxConnectionsPerHost = 1 }
        let running = Task { await kind(client, "/silent") }
        try await Task.sleep(for: .milliseconds(100))
        let waiting = Task { await kind(client, "/ok") }
        try await Task.sleep(for: .milliseconds(50))
        for task in [waiting, running] {
            let start = ContinuousClock.now
            task.cancel()
            #expect(await task.value == .cancelled)
            let took = ContinuousClock.now - start
            print("cancellation took \(took)")
            #expect(took < .seconds(10))
        }
        #expect(await kind(client, "/ok") == nil)
    }

    @Test("a task cancelled beforehand sends nothing")
    func preCancelled() async throws {
        let client = try server.client()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await kind(client, "/limited?key=pre&forms=1")
        }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(try await client.send(HTTPRequest(url: server.url("/calls?key=pre"))).text == "[]")
    }

    @Test("a cancellation at any moment ends every request exactly once")
    func cancellationRace() async throws {
        let client = try server.client()
        for round in 0..<200 {
            let task = Task { await kind(client, "/ok") }
            for _ in 0..<round % 20 { await Task.yield() }
            task.cancel()
            let ended = await task.value
            #expect(ended == nil || ended == .cancelled)
        }
    }

    @Test("close fails what runs and what waits, joins the thread, and refuses what comes later")
    func close() async throws {
        let client = try server.client { $0.maxConnectionsPerHost = 1 }
        // Whichever comes first holds the only connection, and the other waits for it.
        let tasks = [Task { await kind(client, "/silent") }, Task { await kind(client, "/silent") }]
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        client.close()
        client.close()
        for task in tasks { #expect(await task.value == .closed) }
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(await kind(client, "/ok") == .closed)
    }

    @Test("a body outlives its client, and its memory returns to the pool at its end")
    func body() async throws {
        let pool = BufferPool(limit: 1 << 20)
        var response: HTTPResponse? = try await server.client().send(HTTPRequest(url: server.url("/ok")))
        #expect(response?.text == "hello")
        response = nil
        let buffer = pool.take()
        [UInt8]([1, 2, 3]).withUnsafeBytes { buffer.append($0) }
        var body: HTTPBody? = HTTPBody(buffer, pool: pool)
        #expect(body?.bytes == [1, 2, 3] && pool.idleBytes == 0)
        body = nil
        #expect(pool.idleBytes >= 3)
        #expect(pool.take() === buffer && buffer.count == 0)
    }

    @Test("1000 requests, errors and cancellations among them, leave descriptors and memory as they were")
    func leaks() async throws {
        let client = try server.client()
        func round(_ count: Int) async throws {
            for number in 0..<count {
                switch number % 10 {
                case 8: _ = await kind(client, "/cut")
                case 9:
                    let task = Task { await kind(client, "/silent") }
                    await Task.yield()
                    task.cancel()
                    _ = await task.value
                default: #expect(try await client.send(HTTPRequest(url: server.url("/page"))).body.count >= 500_000)
                }
            }
        }
        try await round(100)
        let before = Self.usage()
        try await round(1000)
        let after = Self.usage()
        print(
            "descriptors \(before.descriptors) -> \(after.descriptors), RSS \(before.kilobytes) -> \(after.kilobytes) kB"
        )
        #expect(after.descriptors <= before.descriptors + 5)
        #expect(after.kilobytes <= before.kilobytes + 8 << 10)
    }

    @Test("clients made and closed leave no descriptor and no thread")
    func clients() async throws {
        func one() async throws { _ = try await server.client().send(HTTPRequest(url: server.url("/ok"))) }
        for _ in 0..<5 { try await one() }
        let before = Self.usage()
        for _ in 0..<50 { try await one() }
        let after = Self.usage()
        #expect(after.descriptors <= before.descriptors + 5)
        #expect(after.threads <= before.threads + 5)
    }

    @Test("pages of 500 KB come through at a useful rate")
    func throughput() async throws {
        let client = try server.client()
        for workers in [1, 4] {
            let pages = 400
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<workers {
                    group.addTask {
                        for _ in 0..<pages / workers {
                            let response = try await client.send(HTTPRequest(url: server.url("/page")))
                            #expect(response.body.count >= 500_000)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let took = ContinuousClock.now - start
            print("\(workers) at once: \(pages) pages of 500 KB in \(took)")
            // An order of magnitude under what an idle machine does, so that only a blunder fails it.
            #expect(took < .seconds(20))
        }
    }

    @Test("the callbacks that libcurl calls run on a thread that Swift did not make")
    func foreignThread() async throws {
        let answer = await withCheckedContinuation { (waiting: CheckedContinuation<Transfer.Answer, Never>) in
            let transfer = Transfer(
                id: 1, request: HTTPRequest(url: "https://127.0.0.1/"), authority: "",
                configuration: HTTPConfiguration(),
                continuation: waiting)
            let easy = EasyHandle()
            if let easy { transfer.prepare(easy, buffer: BodyBuffer()) }
            let call = ForeignCall(transfer)
            var thread = pthread_t()
            pthread_create(&thread, nil, callBack, Unmanaged.passUnretained(call).toOpaque())
            pthread_join(thread, nil)
            #expect(call.results.withLock { $0 } == [10, 4, 0, 1])
            #expect(transfer.buffer?.count == 4)
            transfer.fail(.closed, pool: BufferPool(limit: 0))
        }
        #expect(throws: HTTPError.self) { try answer.get() }
    }

    private static func usage() -> (descriptors: Int, threads: Int, kilobytes: Int) {
        let count = { (path: String) in (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0 }
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") } ?? ""
        let kilobytes = line.split(separator: " ").compactMap { Int($0) }.first ?? 0
        return (count("/proc/self/fd"), count("/proc/self/task"), kilobytes)
    }
}

/// A transfer handed to a thread of pthread's making, and what its callbacks returned there.
private final class ForeignCall: Sendable {
    let transfer: Transfer
    let results = Mutex<[Int]>([])
    init(_ transfer: Transfer) { self.transfer = transfer }
}

/// Calls each callback as libcurl would: a body piece, a header line, and one without a context.
private func callBack(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let call = Unmanaged<ForeignCall>.fromOpaque(context).takeUnretainedValue()
    let transfer = Unmanaged.passUnretained(call.transfer).toOpaque()
    var text = Array("X-Key: abc".utf8CString)
    let taken = text.withUnsafeMutableBufferPointer { text in
        let start = text.baseAddress
        return [
            receiveHeader(start, 1, 10, transfer), receiveBody(start, 2, 2, transfer), receiveBody(start, 1, 4, nil),
            runEngine(nil) == nil ? 1 : 0,
        ]
    }
    call.results.withLock { $0 = taken }
    return nil
}
