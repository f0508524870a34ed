import Foundation
import Postgres
import TestSupport
import Testing

@Suite("the schema of SQL/migrations")
struct SchemaTests {
    private func faults(_ connection: Connection) throws -> [String] {
        let path = Checkout.root + "/Tests/PostgresTests/Fixtures/citus-lint.sql"
        let lint = try String(contentsOfFile: path, encoding: .utf8)
        return try connection.query(lint, ["tieout", "account_id"]).map {
            "\(try $0.text("table_name")): \(try $0.text("problem"))"
        }
    }

    @Test("every table could be distributed by account over several machines")
    func distributable() throws {
        let database = try TestDatabase.make()
        #expect(try faults(database.connection()) == [])
    }

    @Test(
        "a table that could not be distributed is found",
        arguments: [
            ("create table tieout.bad (account_id int primary key)", "bad: the distribution column is not bigint"),
            ("create table tieout.bad (account_id bigint not null)", "bad: no primary key"),
            (
                "create table tieout.bad (account_id bigint, id bigint primary key)",
                "bad: unique index without the distribution column: tieout.bad_pkey"
            ),
            (
                "create table tieout.bad (account_id bigint primary key, n int generated always as identity)",
                "bad: counter narrower than bigint: n"
            ),
            ("create unlogged table tieout.bad (account_id bigint primary key)", "bad: unlogged"),
            (
                "create table tieout.bad (id bigint primary key, account_id bigint not null, unique (account_id, id))",
                "bad: unique index without the distribution column: tieout.bad_pkey"
            ),
            (
                "create table tieout.bad (id bigint primary key references tieout.account)",
                "bad: local table points at a distributed one: bad_id_fkey"
            ),
            (
                "create table tieout.bad (account_id bigint primary key references tieout.account on update cascade)",
                "bad: foreign key action would change the distribution column: bad_account_id_fkey"
            ),
        ])
    func mutation(statement: String, fault: String) throws {
        let database = try TestDatabase.make()
        let connection = try database.connection()
        try connection.script(statement)
        #expect(try faults(connection).contains(fault))
    }
}
