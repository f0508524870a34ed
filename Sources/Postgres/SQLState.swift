/// Names of the SQLSTATE codes that people meet, and what may be said about each.
enum SQLState {
    /// The condition's name as PostgreSQL's manual gives it; the class's name for rarer ones.
    static func name(of state: String) -> String {
        if let name = names[state] { return name }
        return classes[String(state.prefix(2))] ?? "error"
    }

    /// The server's primary message without data: conversions (class 22) quote the value they choke on, so everything
    /// between the first and the last quotation mark and behind a colon goes.
    static func withoutData(_ message: String, state: String) -> String {
        guard state.hasPrefix("22") else { return message }
        var kept = message[...]
        if let first = kept.firstIndex(of: "\""), let last = kept.lastIndex(of: "\""), first < last {
            let behind = kept[kept.index(after: last)...]
            return String(kept[..<first]) + "\"…\"" + (behind.first == ":" ? "" : behind)
        }
        if let colon = kept.firstIndex(of: ":") { kept = kept[..<colon] }
        return String(kept)
    }

    /// `line 3, column amount` out of the context of a failed COPY; nothing else of the context is kept.
    static func copyPlace(inContext context: String) -> String? {
        for line in context.split(separator: "\n") where line.hasPrefix("COPY ") {
            guard let comma = line.firstIndex(of: ",") else { continue }
            let place = line[comma...].dropFirst(2)
            let words = place.prefix { $0 != ":" }
            if words.hasPrefix("line ") { return String(words) }
        }
        return nil
    }

    private static let names = [
        "08000": "connection_exception", "08003": "connection_does_not_exist", "08006": "connection_failure",
        "08P01": "protocol_violation", "21000": "cardinality_violation", "22001": "string_data_right_truncation",
        "22003": "numeric_value_out_of_range", "22007": "invalid_datetime_format", "22008": "datetime_field_overflow",
        "22012": "division_by_zero", "22021": "character_not_in_repertoire", "22P02": "invalid_text_representation",
        "22P03": "invalid_binary_representation", "22P04": "bad_copy_file_format",
        "22P05": "untranslatable_character", "23502": "not_null_violation", "23503": "foreign_key_violation",
        "23505": "unique_violation", "23514": "check_violation", "23P01": "exclusion_violation",
        "25001": "active_sql_transaction", "25006": "read_only_sql_transaction",
        "25P02": "in_failed_sql_transaction", "28000": "invalid_authorization_specification",
        "28P01": "invalid_password", "3D000": "invalid_catalog_name", "3F000": "invalid_schema_name",
        "40001": "serialization_failure", "40P01": "deadlock_detected", "42501": "insufficient_privilege",
        "42601": "syntax_error", "42702": "ambiguous_column", "42703": "undefined_column",
        "42704": "undefined_object", "42710": "duplicate_object", "42804": "datatype_mismatch",
        "42883": "undefined_function", "42P01": "undefined_table", "42P04": "duplicate_database",
        "42P06": "duplicate_schema", "42P07": "duplicate_table", "42P18": "indeterminate_datatype",
        "53100": "disk_full", "53200": "out_of_memory", "53300": "too_many_connections", "55006": "object_in_use",
        "55P03": "lock_not_available", "57014": "query_canceled", "57P01": "admin_shutdown",
        "57P02": "crash_shutdown", "57P03": "cannot_connect_now", "58030": "io_error", "P0001": "raise_exception",
        "XX000": "internal_error", "XX001": "data_corrupted", "XX002": "index_corrupted",
    ]

    private static let classes = [
        "08": "connection_exception", "0A": "feature_not_supported", "22": "data_exception",
        "23": "integrity_constraint_violation", "25": "invalid_transaction_state",
        "28": "invalid_authorization_specification", "40": "transaction_rollback",
        "42": "syntax_error_or_access_rule_violation", "53": "insufficient_resources",
        "54": "program_limit_exceeded", "55": "object_not_in_prerequisite_state", "57": "operator_intervention",
        "58": "system_error", "F0": "config_file_error", "XX": "internal_error",
    ]
}
