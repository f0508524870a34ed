/// Object ids of the built-in types that this program exchanges; they are fixed in PostgreSQL's catalogue.
enum PostgresType {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let oid: UInt32 = 26
    static let json: UInt32 = 114
    static let float4: UInt32 = 700
    static let float8: UInt32 = 701
    static let unknown: UInt32 = 705
    static let byteaArray: UInt32 = 1001
    static let nameArray: UInt32 = 1003
    static let int4Array: UInt32 = 1007
    static let textArray: UInt32 = 1009
    static let varcharArray: UInt32 = 1015
    static let int8Array: UInt32 = 1016
    static let bpchar: UInt32 = 1042
    static let varchar: UInt32 = 1043
    static let date: UInt32 = 1082
    static let timestamp: UInt32 = 1114
    static let timestamptz: UInt32 = 1184
    static let timestamptzArray: UInt32 = 1185
    static let interval: UInt32 = 1186
    static let numeric: UInt32 = 1700
    static let uuid: UInt32 = 2950
    static let jsonb: UInt32 = 3802

    /// Microseconds from 1970-01-01 to 2000-01-01, where PostgreSQL counts from.
    static let epochMicroseconds: Int64 = 946_684_800_000_000
    /// The same in days.
    static let epochDays: Int32 = 10_957

    static func isText(_ type: UInt32) -> Bool {
        switch type {
        case text, varchar, bpchar, name, unknown: true
        default: false
        }
    }

    /// The name people know, for messages.
    static func name(of type: UInt32) -> String {
        switch type {
        case bool: "boolean"
        case oid: "oid"
        case bytea: "bytea"
        case name: "name"
        case int8: "bigint"
        case int2: "smallint"
        case int4: "integer"
        case text: "text"
        case json: "json"
        case float4: "real"
        case float8: "double precision"
        case byteaArray: "bytea[]"
        case textArray: "text[]"
        case int8Array: "bigint[]"
        case varchar: "varchar"
        case date: "date"
        case timestamp: "timestamp"
        case timestamptz: "timestamptz"
        case timestamptzArray: "timestamptz[]"
        case interval: "interval"
        case numeric: "numeric"
        case uuid: "uuid"
        case jsonb: "jsonb"
        default: "type \(type)"
        }
    }
}
