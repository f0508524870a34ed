import Foundation
import Glibc
import Testing

@testable import Postgres

/// Clusters are real and take a second each; one after another, so that no test starves another's start.
@Suite("the private cluster", .serialized)
struct EmbeddedClusterTests {
    /// A state directory of its own, emptied and its server stopped when it goes.
    final class State {
        let directory: String
        let cluster: EmbeddedCluster

        init(below parent: String = "/tmp", environment: [String: String] = [:]) throws {
            directory = "\(parent)/tieout-test-\(UInt32.random(in: .min ... .max))/state"
            cluster = try EmbeddedCluster(stateDirectory: directory, environment: environment)
        }

        deinit {
            _ = try? cluster.stop()
            try? FileManager.default.removeItem(atPath: (directory as NSString).deletingLastPathComponent)
        }
    }

    private func connect(_ conninfo: String) throws -> Connection {
        try Connection(conninfo, applicationName: "tieout-test")
    }

    private func settle(_ process: Int) {
        // Ends when the kernel has taken the process away; the server's own parent reaps it.
        while kill(pid_t(process), 0) == 0 { usleep(10_000) }
    }

    @Test("two users share one server; the last to go stops it, and what was stored stays")
    func leases() throws {
        let state = try State()
        let first = try state.cluster.acquire()
        let second = try EmbeddedCluster(stateDirectory: state.directory, environment: [:]).acquire()
        let connection = try connect(first.conninfo)
        #expect(
            try connection.query("select current_user || '@' || current_database()").only().text(0) == "tieout@tieout")
        try connection.script("create table kept (a int); insert into kept values (7)")
        first.release()
        first.release()
        #expect(state.cluster.status().process != nil)
        #expect(try connect(second.conninfo).query("select a from kept").only().int(0) == 7)
        second.release()
        #expect(state.cluster.status().process == nil)
        let third = try state.cluster.acquire()
        #expect(try connect(third.conninfo).query("select a from kept").only().int(0) == 7)
    }

    @Test("what it made is private to its owner, and its settings can be read")
    func privacy() throws {
        let state = try State()
        let lease = try state.cluster.acquire()
        for name in ["", "/data", "/run", "/data/pg_ident.conf", "/users.lock"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: state.directory + name)
            let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
            #expect(mode & 0o077 == 0, "\(name)")
            let owner = try #require(attributes[.ownerAccountID] as? NSNumber).intValue
            #expect(getuid() == 0 ? owner != 0 : owner == Int(getuid()), "\(name)")
        }
        let settings = try String(contentsOfFile: state.directory + "/data/tieout.conf", encoding: .utf8)
        #expect(settings.contains("listen_addresses = ''"))
        let connection = try connect(lease.conninfo)
        let shown =
            "select current_setting('listen_addresses') || current_setting('data_checksums') || current_setting('jit')"
        #expect(try connection.query(shown).only().text(0) == "onoff")
        #expect(
            try connection.query("select count(*) from pg_hba_file_rules where auth_method <> 'peer'").only().int(0)
                == 0)
    }

    @Test("its buffers follow the machine's memory, or a container's, within bounds; pages shrink as the server can")
    func memory() throws {
        func buffers(_ memory: Int) -> Int { ClusterSettings(memory: memory, compression: "on").sharedBuffers }
        #expect([512, 8192, 65_536].map(buffers) == [128, 1024, 2048])
        let limit = FileManager.default.temporaryDirectory.path + "/tieout-memory-\(getpid())"
        defer { unlink(limit) }
        try "104857600\n".write(toFile: limit, atomically: true, encoding: .utf8)
        #expect(ClusterSettings.memory(limitFile: limit) == 100)
        try "max\n".write(toFile: limit, atomically: true, encoding: .utf8)
        #expect(ClusterSettings.memory(limitFile: limit) == ClusterSettings.memory(limitFile: "/nowhere"))
        #expect(ClusterSettings.memory(limitFile: "/nowhere") > 100)

        let state = try State()
        let lease = try state.cluster.acquire()
        let connection = try connect(lease.conninfo)
        let asked = ClusterSettings(memory: ClusterSettings.memory(), compression: "")
        let shown = "select pg_size_bytes(current_setting('shared_buffers')) / 1048576"
        #expect(try connection.query(shown).only().int(0) == Int64(asked.sharedBuffers))
        let compression = "select setting from pg_settings where name = 'wal_compression' and 'lz4' = any(enumvals)"
        for row in try connection.query(compression) { #expect(try row.text(0) == "lz4") }
    }

    @Test("a server that was killed comes back by itself with everything that was committed")
    func recovery() throws {
        let state = try State()
        let first = try state.cluster.acquire()
        let connection = try connect(first.conninfo)
        try connection.script("create table kept (a int); insert into kept values (7)")
        let process = try #require(state.cluster.status().process)
        kill(pid_t(process), SIGKILL)
        settle(process)
        #expect(state.cluster.status().process == nil)
        // The first user still holds its share.
        let second = try state.cluster.acquire()
        #expect(try connect(second.conninfo).query("select a from kept").only().int(0) == 7)
        let error = #expect(throws: PostgresError.self) { try connection.query("select 1") }
        #expect(error?.isTransient == true)
    }

    @Test("a stale mark whose number belongs to another process does not keep it from starting")
    func staleMark() throws {
        let state = try State()
        try state.cluster.acquire().release()
        let mark = state.directory + "/data/postmaster.pid"
        try "\(getpid())\n\(state.directory)/data\n1\n5432\n".write(toFile: mark, atomically: true, encoding: .utf8)
        #expect(state.cluster.status().process == nil)
        let lease = try state.cluster.acquire()
        #expect(try connect(lease.conninfo).query("select 1").only().int(0) == 1)
    }

    @Test("an unfinished initialisation is begun anew")
    func unfinished() throws {
        let state = try State()
        try FileManager.default.createDirectory(
            atPath: state.directory + "/data.new/base", withIntermediateDirectories: true)
        if getuid() == 0 { chmod(state.directory, 0o711) }
        let lease = try state.cluster.acquire()
        #expect(try connect(lease.conninfo).query("select 1").only().int(0) == 1)
        #expect(!FileManager.default.fileExists(atPath: state.directory + "/data.new"))
    }

    @Test(
        "a long path moves the socket to a short private directory, which all users find and which goes with the server"
    )
    func longPath() throws {
        let state = try State(below: "/tmp/" + String(repeating: "l", count: 90))
        defer { try? FileManager.default.removeItem(atPath: "/tmp/" + String(repeating: "l", count: 90)) }
        let lease = try state.cluster.acquire()
        #expect(lease.conninfo.hasPrefix("host='/tmp/tieout-"))
        let other = try EmbeddedCluster(stateDirectory: state.directory, environment: [:])
        #expect(other.conninfo == lease.conninfo)
        #expect(try connect(other.conninfo).query("select 1").only().int(0) == 1)
        let socket = try String(contentsOfFile: state.directory + "/socket", encoding: .utf8)
        lease.release()
        #expect(!FileManager.default.fileExists(atPath: socket.trimmingCharacters(in: .newlines)))
    }

    @Test("a kept cluster outlives its users; stopping it while one is there waits for that one")
    func kept() throws {
        let state = try State()
        try state.cluster.start()
        try state.cluster.acquire().release()
        #expect(state.cluster.status().process != nil && state.cluster.status().isKept)
        let lease = try state.cluster.acquire()
        #expect(try state.cluster.stop() == false)
        #expect(try connect(lease.conninfo).query("select 1").only().int(0) == 1)
        lease.release()
        #expect(state.cluster.status().process == nil)
        #expect(try state.cluster.stop())
    }

    @Test("a state directory that its user cannot reach is refused with what to do", .enabled(if: getuid() == 0))
    func unreachable() throws {
        let state = try State()
        let parent = (state.directory as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        chmod(parent, 0o700)
        let error = #expect(throws: ClusterError.self) { try state.cluster.acquire() }
        #expect(error?.description.contains("cannot enter \(parent): chmod o+x") == true)
    }

    @Test("the state directory is root's, else the desktop standard's")
    func defaults() throws {
        let chosen = try EmbeddedCluster(environment: ["XDG_STATE_HOME": "/x/state", "HOME": "/h"]).stateDirectory
        let fallback = try EmbeddedCluster(environment: ["HOME": "/h"]).stateDirectory
        #expect(chosen == (getuid() == 0 ? "/var/lib/tieout" : "/x/state/tieout"))
        #expect(fallback == (getuid() == 0 ? "/var/lib/tieout" : "/h/.local/state/tieout"))
    }
}
