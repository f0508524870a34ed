import Glibc

/// The operating-system user whose processes and files the cluster is made of. PostgreSQL refuses to run as root.
struct ClusterOwner: Hashable, Sendable {
    let name: String
    let user: uid_t
    let group: gid_t

    /// As root: whoever owns the data already there, else `tieout`, else `postgres`. Else the current user.
    static func choose(dataDirectory: String) throws(ClusterError) -> ClusterOwner {
        if getuid() != 0 {
            guard let current = lookUp(getpwuid(geteuid())) else {
                throw ClusterError("the current user \(geteuid()) has no entry in the password database")
            }
            return current
        }
        var information = stat()
        if stat(dataDirectory, &information) == 0, information.st_uid != 0,
            let owner = lookUp(getpwuid(information.st_uid))
        {
            return owner
        }
        guard let owner = lookUp(getpwnam("tieout")) ?? lookUp(getpwnam("postgres")) else {
            throw ClusterError("root needs a user tieout or postgres for the cluster: apt-get install postgresql")
        }
        return owner
    }

    private static func lookUp(_ entry: UnsafeMutablePointer<passwd>?) -> ClusterOwner? {
        guard let entry, let name = entry.pointee.pw_name else { return nil }
        return ClusterOwner(name: String(cString: name), user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
    }

    /// The words in front of a command that make it run as this user.
    var prefix: [String] { getuid() == 0 ? ["runuser", "-u", name, "--"] : [] }

    /// The first of the directories above and including `path` that this user cannot enter.
    func obstacle(on path: String) -> String? {
        var prefix = ""
        for part in path.split(separator: "/") {
            prefix += "/" + part
            var information = stat()
            guard stat(prefix, &information) == 0 else { return prefix }
            let mode = information.st_mode
            let allowed: mode_t =
                information.st_uid == user ? 0o100 : information.st_gid == group ? 0o010 : 0o001
            if mode & allowed == 0 { return prefix }
        }
        return nil
    }

    /// Makes the directory 0700 for this user where it is missing.
    func makeDirectory(_ path: String) throws(ClusterError) {
        if mkdir(path, 0o700) == 0 {
            if getuid() == 0 { chown(path, user, group) }
        } else if errno != EEXIST {
            throw ClusterError("cannot make \(path): \(String(cString: strerror(errno)))")
        }
    }

    /// True for a directory, not a link to one, that only this user can enter.
    func ownsPrivately(_ path: String) -> Bool {
        var information = stat()
        return lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
            && information.st_uid == user && information.st_mode & 0o077 == 0
    }
}
