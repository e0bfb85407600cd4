// A hot standby: what is refused there, and a pool that finds the new primary by itself.
#define BOOST_TEST_MODULE postgres_standby

#include "postgres_fixture.hpp"
#include "postgres_load.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

namespace {

struct standby_fixture : postgres_fixture
{
    std::string directory; // of the standby's socket
    std::string port;

    standby_fixture()
    {
        services::ask("sql CREATE TABLE written (n BIGINT GENERATED ALWAYS AS IDENTITY)");
        const auto place = services::ask("standby");
        directory = place.substr(0, place.find(' '));
        port = place.substr(place.find(' ') + 1);
    }

    std::string standby() const
    {
        return "user=postgres dbname=postgres host=" + directory + " port=" + port;
    }

    // Parks until the standby has what the primary has written.
    void catch_up() const
    {
        const auto there = services::ask("sql SELECT pg_current_wal_lsn()");
        while (services::ask("sql SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= '" + there +
                             "'") == "0")
            fiber::sleep_for(10ms);
    }
};

void add_row(db::lane& lane)
{
    lane.run("INSERT INTO written DEFAULT VALUES");
}

// "host=A,B port=1,2" of two connection strings, each with one of both.
std::string either(const std::string& first, const std::string& directory, const std::string& port)
{
    auto both = first;
    for (const auto& [key, other] :
         {std::pair{std::string("host="), directory}, {std::string("port="), port}}) {
        const auto at = both.find(' ', both.find(key));
        both.insert(at == both.npos ? both.size() : at, "," + other);
    }
    return both;
}

} // namespace

// One case: the cluster it leaves is another one.
// SEMANTICS 81, FAULTS F03
BOOST_FIXTURE_TEST_CASE(after_a_failover_the_pool_finds_the_new_primary, standby_fixture)
{
    std::string on_standby;
    std::string read_there;
    bool write_closed = false;
    bool read_kept = false;
    std::string afterwards;
    std::map<std::string, int> while_down;
    std::map<std::string, int> later;
    double promoted = 0;
    double recovered = -1;
    double allowed = 0;
    bool held_up = false;

    // As after a failover: the address is the standby's by now, and it is not yet promoted.
    server.connection = services::through_relay();
    pool.size = 1;
    with_database([&](db::database& database) {
        catch_up();
        services::ask("relay-to-standby");
        auto& reads = database.lane("read");
        auto& writes = database.lane("write");
        const auto before = backend_of(reads);
        read_there = ending_of([&] { reads.one<std::int64_t>("SELECT count(*) FROM written"); });
        read_kept = backend_of(reads) == before;
        on_standby = ending_of([&] { add_row(writes); });
        write_closed = backend_of(reads) != before;
    });
    BOOST_TEST(read_there == "returned");
    BOOST_TEST(read_kept);
    BOOST_TEST(on_standby == "unavailable");
    BOOST_TEST(write_closed);

    server.connection = either(services::postgres(), directory, port) + " target_session_attrs=read-write";
    pool = short_budgets;
    with_database([&](db::database& database) {
        load requests(database.lane("write"), 1s, add_row);
        double stopped = 0;
        fiber::task_group::run([&](fiber::task_group& tasks) {
            tasks.start([&] { requests.run(20ms, 8s); });
            tasks.start([&] {
                fiber::sleep_for(1s);
                services::ask("stop");
                stopped = requests.now();
                fiber::sleep_for(1s);
                services::ask("promote");
                promoted = requests.now();
            });
        });
        while_down = requests.endings(stopped, stopped + 900);
        recovered = requests.first_success(stopped);
        later = requests.endings(recovered, 1e9);
        allowed = requests.allowed(2000);
        held_up = requests.was_held_up();
    });
    BOOST_TEST_MESSAGE("without a primary: " << shown(while_down) << "after: " << shown(later)
                                             << "recovered after " << recovered - promoted << " ms");
    BOOST_TEST(while_down.count("returned") == 0U, shown(while_down));
    BOOST_TEST(!while_down.empty());
    BOOST_TEST(recovered > 0);
    BOOST_TEST(recovered - promoted < allowed);
    BOOST_TEST((later.size() == 1U || held_up), shown(later));
    BOOST_TEST(at_rest);
}
