import Glibc

/// Runs PostgreSQL's programs: in `/` (their user may not be able to read where we stand), with a small environment of
/// their own (a stray `PGDATA` or `PGPORT` must not matter), without a terminal.
enum ChildProcess {
    /// Waits for the program. Gives what it wrote to either output; a status other than 0 is an error with its last
    /// lines.
    @discardableResult
    static func run(_ arguments: [String]) throws(ClusterError) -> String {
        let name = arguments.first ?? ""
        guard let output = tmpfile() else { throw ClusterError("no temporary file can be made (errno \(errno))") }
        defer { fclose(output) }
        let descriptor = fileno(output)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let status = try spawn(name, arguments, output: descriptor)
        let text = read(descriptor)
        if status != 0 {
            let tail = text.split(separator: "\n").suffix(5).joined(separator: "; ")
            throw ClusterError("\(name) failed with status \(status): \(tail)")
        }
        return text
    }

    private static func spawn(_ name: String, _ arguments: [String], output: Int32) throws(ClusterError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        let environment = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"]
        var child: pid_t = 0
        let fault = withCStrings(["env", "-C", "/"] + arguments) { arguments in
            withCStrings(environment) { posix_spawn(&child, "/usr/bin/env", &actions, nil, arguments, $0) }
        }
        if fault != 0 { throw ClusterError("\(name) cannot be run (errno \(fault))") }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            if errno != EINTR { throw ClusterError("\(name) cannot be waited for (errno \(errno))") }
        }
        // An ended child has its exit status in the second byte, a killed one its signal in the first.
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    private static func read(_ descriptor: Int32) -> String {
        lseek(descriptor, 0, SEEK_SET)
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func withCStrings<R>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> R {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(&pointers)
    }
}
