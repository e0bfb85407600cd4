// The application that SQLite's faults are tried on. Prints its port, and serves until SIGTERM. Arguments:
// name=value, milliseconds where it is a time; see apply().
#include <heddle/base/log.hpp>
#include <heddle/db/database.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/http/exact.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/http/router.hpp>
#include <heddle/http/server.hpp>

#include <boost/describe.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace db = heddle::db;
namespace fiber = heddle::fiber;
namespace http = heddle::http;

using namespace std::chrono_literals;

namespace {

struct new_item
{
    std::string name;
    std::int64_t n;
};
BOOST_DESCRIBE_STRUCT(new_item, (), (name, n))

struct item
{
    std::int64_t id;
    std::string name;
    std::int64_t n;
};
BOOST_DESCRIBE_STRUCT(item, (), (id, name, n))

struct settings
{
    fiber::runtime_options runtime{.workers = 2};
    http::server_options http{.listen = {"127.0.0.1", 0}};
    db::sqlite_options sqlite;
    fiber::pool_options pool{.size = 8};
    db::lane_options read{.name = "read", .running = 8, .waiting = 256, .queue_wait = 1h};
    db::lane_options write{.name = "write", .running = 4, .waiting = 8, .queue_wait = 1h};
};

void apply(settings& with, std::string_view name, const std::string& text)
{
    const auto number = http::exact<std::int64_t>(text).value_or(0);
    const std::chrono::milliseconds time(number);
    if (name == "file")
        with.sqlite.path = text;
    else if (name == "workers")
        with.runtime.workers = static_cast<unsigned>(number);
    else if (name == "pool")
        with.pool.size = number;
    else if (name == "request_budget")
        with.http.request_budget = time;
    else if (name == "lock_budget")
        with.sqlite.lock_budget = time;
    else if (name == "log_limit")
        with.sqlite.log_limit = number;
    else
        throw std::invalid_argument(std::string(name));
}

void create_tables(db::lane& writes)
{
    writes.script("CREATE TABLE IF NOT EXISTS items "
                  "(id INTEGER PRIMARY KEY, name TEXT NOT NULL, n INTEGER NOT NULL); "
                  "CREATE TABLE IF NOT EXISTS counter (n INTEGER NOT NULL); "
                  "INSERT INTO counter SELECT 0 WHERE NOT EXISTS (SELECT * FROM counter)");
}

class routes
{
public:
    explicit routes(db::database& database)
        : database_(database), reads_(database.lane("read")), writes_(database.lane("write"))
    {
    }

    void mount(http::router& app) const
    {
        app.get("/ping", [](const http::request&) { return "pong"; });
        app.get("/working", [this](const http::request&) { return std::to_string(in_use()); });
        app.get("/lite/counter", [this](const http::request&) { return counter(); });
        app.get("/lite/count", [this](const http::request&) { return count(); });
        app.get("/lite/snapshot", [this](const http::request& req) { return snapshot(req); });
        app.get("/lite/item/{id}", [this](const http::request& req) { return show(req); });
        app.post("/lite/item", [this](const http::request& req) { return add(req); });
        app.post("/lite/bulk", [this](const http::request& req) { return bulk(req); });
        app.post("/lite/incr", [this](const http::request&) { return increment(); });
        app.post("/lite/logged", [this](const http::request&) { return logged(); });
    }

private:
    // Permits, places in queues and connections: 0 when nothing is left of anything.
    std::int64_t in_use() const
    {
        auto sum = database_.pool_statistics().active + database_.pool_statistics().waiting;
        for (const auto& lane : database_.lanes())
            sum += lane.statistics().gate.in_flight + lane.statistics().gate.queued;
        return sum;
    }

    std::string counter() const { return std::to_string(reads_.one<std::int64_t>("SELECT n FROM counter")); }
    std::string count() const
    {
        return std::to_string(reads_.one<std::int64_t>("SELECT count(*) FROM items"));
    }

    // Keeps one state of the database for `ms`.
    std::string snapshot(const http::request& req) const
    {
        const std::chrono::milliseconds time(req.query<std::int64_t>("ms").value_or(100));
        return std::to_string(reads_.read([&](db::transaction& tx) {
            const auto n = tx.one<std::int64_t>("SELECT count(*) FROM items");
            fiber::sleep_for(time);
            return n;
        }));
    }

    http::result<item> show(const http::request& req) const
    {
        const auto id = req.path<std::int64_t>("id");
        auto found = reads_.find<item>("SELECT id, name, n FROM items WHERE id = $1", id);
        if (!found)
            return http::problem::not_found("there is no item " + std::to_string(id));
        return *std::move(found);
    }

    http::result<http::created<item>> add(const http::request& req) const
    {
        const auto wanted = req.json<new_item>();
        auto made = writes_.transaction([&](db::transaction& tx) {
            return tx.one<item>("INSERT INTO items (name, n) VALUES ($1, $2) RETURNING id, name, n",
                                wanted.name, wanted.n);
        });
        return http::created{"/lite/item/" + std::to_string(made.id), std::move(made)};
    }

    // One INSERT with a parameter for each number of the body.
    std::string bulk(const http::request& req) const
    {
        const auto numbers = req.json<std::vector<std::int64_t>>();
        std::string sql = "INSERT INTO items (name, n) VALUES ";
        std::vector<db::value> values;
        for (const auto n : numbers) {
            values.push_back(db::value::integer(n));
            sql += (values.size() > 1 ? ", ('bulk', $" : "('bulk', $") + std::to_string(values.size()) + ")";
        }
        return std::to_string(
            writes_.transaction([&](db::transaction& tx) { return tx.run_values(sql, values); }));
    }

    // Reads first, writes then, and lets others run in between.
    std::string increment() const
    {
        return std::to_string(writes_.transaction([](db::transaction& tx) {
            const auto n = tx.one<std::int64_t>("SELECT n FROM counter");
            fiber::sleep_for(5ms);
            tx.run("UPDATE counter SET n = $1", n + 1);
            return n + 1;
        }));
    }

    std::string logged() const
    {
        heddle::log::info("before", {{"what", "logged"}});
        const auto n = reads_.one<std::int64_t>("SELECT count(*) FROM items");
        writes_.run("INSERT INTO items (name, n) VALUES ('logged', $1)", n);
        heddle::log::info("after", {{"what", "logged"}});
        return "logged";
    }

    db::database& database_;
    db::lane& reads_;
    db::lane& writes_;
};

void serve(const settings& with)
{
    db::database database{
        {.driver = db::sqlite(with.sqlite), .pool = with.pool, .lanes = {with.read, with.write}}};
    create_tables(database.lane("write"));
    const routes routes(database);
    http::router app;
    routes.mount(app);
    http::server server(with.http, std::ref(app));
    std::printf("%d 0\n", server.port());
    std::fflush(stdout);
    server.serve();
    database.close(1s);
}

} // namespace

int main(int argc, char** argv)
{
    settings with;
    for (int i = 1; i < argc; ++i) {
        const std::string_view one = argv[i];
        const auto equals = one.find('=');
        if (equals == one.npos)
            return EXIT_FAILURE;
        apply(with, one.substr(0, equals), std::string(one.substr(equals + 1)));
    }
    const heddle::log::writer writer(heddle::log::options{});
    return fiber::run(with.runtime, [&] { serve(with); });
}
