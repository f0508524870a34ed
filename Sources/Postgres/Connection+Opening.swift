import CPostgres
import Glibc

extension ConnectionHandle {
    /// Connects and waits. libpq's own loop is walked by hand because only so the SQLSTATE of a refusal can be had.
    static func open(_ conninfo: String, applicationName: String) throws(PostgresError) -> ConnectionHandle {
        try checkSyntax(conninfo)
        // Later words win: what stands before dbname is a default, what stands behind it cannot be changed.
        let words: [(String, String)] = [
            ("connect_timeout", "15"), ("tcp_user_timeout", "60000"), ("keepalives_idle", "60"),
            ("dbname", conninfo), ("fallback_application_name", applicationName), ("client_encoding", "UTF8"),
        ]
        let pointer = withCStrings(words.map(\.0)) { names in
            withCStrings(words.map(\.1)) { values in PQconnectStartParams(names, values, 1) }
        }
        guard let pointer else { throw PostgresError(.connection, "out of memory") }
        let handle = ConnectionHandle(pointer: pointer)
        PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
        PQsetNoticeReceiver(pointer, ignoreNotice, nil)
        try handle.wait()
        return handle
    }

    private func wait() throws(PostgresError) {
        let patience = Int32(option("connect_timeout") ?? 15)
        var state = PQstatus(pointer) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            if state == PGRES_POLLING_FAILED { throw refusal() }
            var socket = pollfd(
                fd: PQsocket(pointer), events: Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT), revents: 0)
            let ready = poll(&socket, 1, patience > 0 ? patience * 1000 : -1)
            if ready == 0 {
                throw PostgresError(.connection, "the server did not answer within \(patience) s", mayPass: true)
            }
            if ready < 0, errno != EINTR {
                throw PostgresError(.connection, "waiting for the server failed (errno \(errno))")
            }
            if ready > 0 { state = PQconnectPoll(pointer) }
        }
    }

    private func option(_ word: String) -> Int? {
        guard let options = PQconninfo(pointer) else { return nil }
        defer { PQconninfoFree(options) }
        var index = 0
        while let keyword = options[index].keyword {
            if String(cString: keyword) == word { return options[index].val.flatMap { Int(String(cString: $0)) } }
            index += 1
        }
        return nil
    }

    /// `… failed: FATAL:  53300: sorry, too many clients already`: the server's refusals carry their SQLSTATE here.
    private func refusal() -> PostgresError {
        let message = String(cString: PQerrorMessage(pointer)).trimmedLine
        guard let (state, range) = Self.sqlState(in: message) else {
            let permanent = ["no password supplied", "certificate", "SSL", "GSS"].contains { message.contains($0) }
            return PostgresError(.connection, message, mayPass: !permanent)
        }
        return PostgresError(
            .connection, String(message[..<range.lowerBound]) + message[range.upperBound...], sqlState: state)
    }

    private static func sqlState(in message: String) -> (String, Range<String.Index>)? {
        guard let gap = message.firstRange(of: ":  ") else { return nil }
        let code = message[gap.upperBound...].prefix(5)
        guard code.utf8.count == 5, code.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) }),
            message[code.endIndex...].hasPrefix(": ")
        else { return nil }
        return (String(code), code.startIndex..<message.index(code.endIndex, offsetBy: 2))
    }

    /// A typo in the connection string is the operator's to mend, and is not repeated: it may hold a password.
    private static func checkSyntax(_ conninfo: String) throws(PostgresError) {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(conninfo, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        if options == nil { throw .usage("the connection string is neither keyword=value words nor a URI") }
    }

    /// Lends a null-terminated array of C strings.
    private static func withCStrings<R>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> R
    ) -> R {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers: [UnsafePointer<CChar>?] = copies.map { $0.map { UnsafePointer($0) } } + [nil]
        return body(pointers)
    }
}

/// Notices may quote data and would end up on standard error; what matters comes as an error.
private func ignoreNotice(_: UnsafeMutableRawPointer?, _: OpaquePointer?) {}
