// The application that a bulkhead before PostgreSQL is tried on. Prints its port, and serves until SIGTERM.
// Arguments: name=value, milliseconds where it is a time; see apply().
#include <heddle/base/log.hpp>
#include <heddle/db/database.hpp>
#include <heddle/db/postgres.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/http/exact.hpp>
#include <heddle/http/reply.hpp>
#include <heddle/http/router.hpp>
#include <heddle/http/server.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace db = heddle::db;
namespace fiber = heddle::fiber;
namespace http = heddle::http;

using namespace std::chrono_literals;

namespace {

struct settings
{
    fiber::runtime_options runtime{.workers = 2};
    http::server_options http{.listen = {"127.0.0.1", 0}};
    db::postgres_options postgres;
    fiber::pool_options pool{.size = 4, .min_idle = 4};
    db::lane_options lane{.name = "all", .running = 4, .waiting = 8, .queue_wait = 1h};
};

void apply(settings& with, std::string_view name, const std::string& text)
{
    const auto number = http::exact<std::int64_t>(text).value_or(0);
    if (name == "database")
        with.postgres.connection = text;
    else if (name == "workers")
        with.runtime.workers = static_cast<unsigned>(number);
    else if (name == "running")
        with.lane.running = number;
    else if (name == "waiting")
        with.lane.waiting = number;
    else if (name == "request_budget")
        with.http.request_budget = std::chrono::milliseconds(number);
    else
        throw std::invalid_argument(std::string(name));
}

class routes
{
public:
    explicit routes(db::database& database) : database_(database), lane_(database.lane("all")) {}

    void mount(http::router& app) const
    {
        app.get("/ping", [](const http::request&) { return "pong"; });
        app.get("/working", [this](const http::request&) { return std::to_string(in_use()); });
        app.get("/pg/slow", [this](const http::request& req) { return slow(req); });
        app.get("/pg/throw", [this](const http::request&) { return fail(); });
    }

private:
    // Permits, places in queues and connections: 0 when nothing is left of anything.
    std::int64_t in_use() const
    {
        const auto pool = database_.pool_statistics();
        const auto gate = lane_.statistics().gate;
        return pool.active + pool.waiting + gate.in_flight + gate.queued;
    }

    // One statement that lasts `ms`, in a request that may last `deadline` ms.
    std::string slow(const http::request& req) const
    {
        const double seconds = static_cast<double>(req.query<std::int64_t>("ms").value_or(0)) / 1000;
        const std::chrono::microseconds deadline(
            static_cast<std::int64_t>(1000 * req.query<double>("deadline").value_or(3'600'000)));
        fiber::within(deadline, [&] {
            lane_.for_each<db::row>([](const db::row&) {}, "SELECT pg_sleep($1)", seconds);
        });
        return "slow";
    }

    std::string fail() const
    {
        return lane_.transaction([](db::transaction& tx) -> std::string {
            tx.one<int>("SELECT 1");
            throw std::runtime_error("told to throw");
        });
    }

    db::database& database_;
    db::lane& lane_;
};

void serve(const settings& with)
{
    db::database database{{.driver = db::postgres(with.postgres), .pool = with.pool, .lanes = {with.lane}}};
    const routes routes(database);
    http::router app;
    routes.mount(app);
    http::server server(with.http, std::ref(app));
    while (database.pool_statistics().idle < with.pool.min_idle)
        fiber::sleep_for(5ms); // so that descriptors can be counted from here on
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
