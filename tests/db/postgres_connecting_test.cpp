// Ways to a server: names, several hosts, services, passwords, TLS, and a pooler in between.
#include "postgres_fixture.hpp"

#include "postgres/addresses.hpp"
#include "postgres/connecting.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <tuple>

namespace {

using strings = std::vector<std::string>;

std::string over_tcp()
{
    return services::setting("HEDDLE_TEST_TCP");
}

std::string file(const std::string& name)
{
    return services::setting("HEDDLE_TEST_FILES") + "/" + name;
}

} // namespace

BOOST_AUTO_TEST_SUITE(postgres_connecting)

namespace {

// How a question through this connection string ends, and whether TLS was used.
std::string question(const std::string& connection)
{
    postgres_fixture fixture;
    fixture.server.connection = connection;
    fixture.pool.acquire_budget = 3s; // which those that fail wait out
    std::string answer;
    fixture.with_database([&](db::database& database) {
        const auto failure = failure_in([&] {
            const auto tls =
                database.lane("read").one<bool>("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
            answer = tls ? "tls" : "plain";
        });
        if (answer.empty())
            answer = failure.message;
    });
    return answer;
}

} // namespace

BOOST_AUTO_TEST_CASE(names_and_addresses_and_several_hosts)
{
    BOOST_TEST(question(over_tcp() + " host=localhost sslmode=disable") == "plain");
    BOOST_TEST(question(over_tcp() + " host=127.0.0.1 sslmode=disable") == "plain");
    BOOST_TEST(question(over_tcp() + " host=127.0.0.9,localhost sslmode=disable") == "plain");
    BOOST_TEST(question(over_tcp() + " host=no-such-host.invalid,localhost sslmode=disable") == "plain");
    BOOST_TEST(question(over_tcp() + " host=localhost sslmode=disable target_session_attrs=read-write") ==
               "plain");
    BOOST_TEST(contains(question(over_tcp() + " host=localhost target_session_attrs=standby"),
                        "none could be opened"));
    BOOST_TEST(contains(question(over_tcp() + " host=no-such-host.invalid"), "has no address"));
}

// While names cannot be had, a connection that nobody waits for any more is in nobody's way.
BOOST_AUTO_TEST_CASE(a_look_up_that_nobody_waits_for_is_not_made)
{
    std::string ending;
    std::size_t queued = 1;
    fiber::run({.workers = 1}, [&] {
        std::promise<void> names_can_be_had;
        db::pg::helpers look_ups(1);
        const auto hangs = look_ups.start([had = names_can_be_had.get_future().share()] {
            had.wait();
            return true;
        });
        std::string wrong;
        auto parameters = db::pg::parse("host=localhost", wrong);
        ending =
            ending_of([&] { fiber::within(20ms, [&] { db::pg::add_addresses(parameters, look_ups); }); });
        queued = look_ups.queued();
        names_can_be_had.set_value();
        db::pg::wait_for(*hangs);
    });
    BOOST_TEST(ending == "deadline");
    BOOST_TEST(queued == 0U);
}

BOOST_AUTO_TEST_CASE(a_service_and_a_uri)
{
    std::string uri =
        "postgresql://postgres@localhost:" + over_tcp().substr(over_tcp().find("port=") + 5) + "/postgres";
    BOOST_TEST(question(uri + "?sslmode=require") == "tls");

    std::ofstream services(file("services.conf"));
    services << "[ours]\nhost=localhost\nsslmode=disable\n"
             << "port=" << over_tcp().substr(over_tcp().find("port=") + 5)
             << "\nuser=postgres\ndbname=postgres\n";
    services.close();
    ::setenv("PGSERVICEFILE", file("services.conf").c_str(), 1);
    BOOST_TEST(question("service=ours") == "plain");
    ::unsetenv("PGSERVICEFILE");
}

BOOST_AUTO_TEST_CASE(a_password_by_scram)
{
    services::ask("sql CREATE ROLE secret LOGIN PASSWORD 'sesame'");
    const auto as_secret = over_tcp() + " host=127.0.0.1 sslmode=disable user=secret";
    BOOST_TEST(question(as_secret + " password=sesame") == "plain");
    BOOST_TEST(contains(question(as_secret + " password=wrong"), "password authentication failed"));
}

BOOST_AUTO_TEST_CASE(a_certificate_is_verified_in_full)
{
    const auto verified = over_tcp() + " sslmode=verify-full sslrootcert=" + file("ca.crt");
    BOOST_TEST(question(verified + " host=localhost") == "tls");
    BOOST_TEST(contains(question(verified + " host=127.0.0.1"), "does not match host name"));
    BOOST_TEST(contains(
        question(over_tcp() + " host=localhost sslmode=verify-full sslrootcert=" + file("server.crt")),
        "certificate verify failed"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(postgres_pooler, postgres_fixture)

namespace {

// Transactions, reads and cancels, side by side, through a pooler.
void check_through_pooler(postgres_fixture& fixture, const std::string& mode)
{
    const char* pooler = std::getenv("HEDDLE_TEST_POOLER");
    if (!pooler) {
        BOOST_TEST_MESSAGE("skipped: pgbouncer is not installed (Debian: apt install pgbouncer)");
        return;
    }
    fixture.server.connection = std::string(pooler) + " dbname=" + mode;
    std::atomic<int> wrong = 0;
    std::atomic<int> cancelled = 0;
    std::int64_t added = 0;
    fixture.pool.acquire_budget = 10s;
    fixture.with_items([&](db::lane& reads, db::lane& writes) {
        fiber::task_group::run([&](fiber::task_group& tasks) {
            for (int i = 0; i < 60; ++i)
                tasks.start([&, i] {
                    const auto name = std::to_string(i);
                    wrong += ending_of([&] { writes.run("INSERT INTO items (name) VALUES ($1)", name); }) !=
                             "returned";
                    std::string back;
                    wrong += ending_of([&] {
                                 back =
                                     reads.one<std::string>("SELECT name FROM items WHERE name = $1", name);
                             }) != "returned";
                    wrong += back != name;
                    if (i % 10 == 0)
                        cancelled +=
                            ending_of([&] {
                                fiber::within(300ms, [&] {
                                    reads.for_each<db::row>([](const db::row&) {}, "SELECT pg_sleep(20)");
                                });
                            }) != "returned";
                });
        });
        added = reads.one<std::int64_t>("SELECT count(*) FROM items");
    });
    BOOST_TEST(wrong == 0);
    BOOST_TEST(cancelled == 6);
    BOOST_TEST(added == 60);
    BOOST_TEST(fixture.at_rest);
}

} // namespace

BOOST_AUTO_TEST_CASE(in_session_mode)
{
    check_through_pooler(*this, "session");
}

// What a session is told once elsewhere is said in each transaction there.
BOOST_AUTO_TEST_CASE(in_transaction_mode_where_the_servers_forms_of_text_are_others)
{
    const char* pooler = std::getenv("HEDDLE_TEST_POOLER");
    if (!pooler) {
        BOOST_TEST_MESSAGE("skipped: pgbouncer is not installed (Debian: apt install pgbouncer)");
        return;
    }
    services::ask("sql CREATE DATABASE odd");
    for (const char* setting :
         {"datestyle = 'SQL, DMY'", "bytea_output = escape", "extra_float_digits = -10"})
        services::ask("sql ALTER DATABASE odd SET " + std::string(setting));
    server.connection = std::string(pooler) + " dbname=odd";
    server.transaction_pooling = true;
    server.statement_ceiling = 77s;
    using row = std::tuple<std::chrono::sys_days, std::vector<std::byte>, double, std::string, std::string>;
    row read;
    with_database([&](db::database& database) {
        read =
            database.lane("read").one<row>("SELECT date '2020-02-01', '\\xff41'::bytea, 0.1::float8 + 0.2, "
                                           "'1 day'::interval, current_setting('statement_timeout')");
    });
    BOOST_TEST((std::get<0>(read) == std::chrono::sys_days(std::chrono::year(2020) / 2 / 1)));
    BOOST_TEST((std::get<1>(read) == std::vector{std::byte(0xff), std::byte('A')}));
    BOOST_TEST(std::get<2>(read) == 0.1 + 0.2);
    BOOST_TEST(std::get<3>(read) == "1 day"); // whose form makes all of them come as text
    BOOST_TEST(std::get<4>(read) == "77s");
    BOOST_TEST(at_rest);
}

BOOST_AUTO_TEST_CASE(in_transaction_mode)
{
    server.transaction_pooling = true;
    check_through_pooler(*this, "transaction");
}

BOOST_AUTO_TEST_SUITE_END()
