// The keys: name, variable, range and one line for people.
#include "settings.hpp"

#include <optional>

namespace app {

namespace {

using heddle::configuration;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr std::size_t gib = 1024 * mib;

void describe_runtime(configuration& keys, heddle::fiber::runtime_options& r)
{
    keys.section("runtime", "The threads that run fibers.");
    keys.integer("workers", r.workers, {0U, 1024U}, "Threads that run fibers. 0: one for each processor.");
    keys.integer("compute_workers", r.compute_workers, {0U, 1024U},
                 "Low-priority threads for long computations and long reads.");
    keys.integer("offload_threads", r.offload_threads, {1U, 1024U},
                 "Helper threads for calls that block, started on demand.");
    keys.bytes("stack_size", r.stack_size, {16 * kib, 16 * mib},
               "Address space of a fiber's stack: a power of two.");
    keys.duration("interrupt_budget", r.interrupt_budget, {0s, 1h},
                  "At shutdown: how long cancelled requests may take to end.");
}

void describe_limits(configuration& keys, heddle::http::server_options& h)
{
    keys.bytes("header_limit", h.header_limit, {256, mib}, "Longer request heads are answered 431.");
    keys.integer<std::size_t>("field_limit", h.field_limit, {1, 10'000},
                              "Heads with more fields are answered 431.");
    keys.bytes("target_limit", h.target_limit, {16, mib}, "Longer targets are answered 414.");
    keys.bytes("body_limit", h.body_limit, {0, gib}, "Longer bodies are answered 413.");
    keys.integer<std::int64_t>("max_connections", h.max_connections, {1, 1'000'000},
                               "Connections open at a time; one more is answered 503 and closed.");
    keys.integer<std::int64_t>("max_requests", h.max_requests, {1, 1'000'000},
                               "Requests running at a time; one more is answered 503.");
}

void describe_times(configuration& keys, heddle::http::server_options& h)
{
    keys.duration("request_budget", h.request_budget, {1ms, 24h},
                  "From a whole head to the handler's return.");
    keys.duration("header_time", h.header_time, {1ms, 1h}, "From a head's first byte to its last.");
    keys.duration("idle_time", h.idle_time, {1ms, 24h}, "Between two requests of a connection.");
    keys.duration("send_budget", h.send_budget, {1ms, 24h}, "To send one answer.");
    keys.duration("write_stall", h.write_stall, {1ms, 1h}, "Without the client taking a byte of an answer.");
    keys.duration("linger_time", h.linger_time, {0s, 1h}, "To be heard by a client that still sends.");
    keys.duration(
        "notice_time", h.notice_time, {0s, 1h},
        "After SIGTERM: goes on accepting, with /readyz 503, until whoever shares out the load has seen it.");
    keys.duration("drain_budget", h.drain_budget, {0s, 1h}, "Then: to finish what was accepted.");
}

void describe_tls(configuration& keys, tls_settings& t)
{
    using heddle::net::tls_version;
    using clients = heddle::net::tls_server_options::clients;
    keys.list("tls_listen", t.listen,
              "Where TLS is spoken: \"0.0.0.0:8443\". A socket from systemd that is named \"https\" is such "
              "a one.");
    keys.list("tls_certificates", t.certificates,
              "PEM files: a certificate and what leads to its root. The client's name for us chooses, else "
              "it is the "
              "first.");
    keys.list("tls_keys", t.keys, "PEM files, one for each certificate. SIGHUP reads them all again.");
    keys.choice<tls_version>("tls_minimum", t.options.minimum,
                             {{"1.2", tls_version::v1_2}, {"1.3", tls_version::v1_3}}, "");
    keys.choice<clients>("tls_clients", t.options.client_certificates,
                         {{"anonymous", clients::not_asked},
                          {"may_sign", clients::may_have},
                          {"must_sign", clients::must_have}},
                         "Whether clients may, or must, show a certificate.");
    keys.text("tls_client_authorities", t.options.client_authorities,
              "A PEM file: whose certificates of clients are trusted.");
}

void describe_http(configuration& keys, settings& s)
{
    keys.section("http",
                 "The listeners for clients. Sockets that systemd hands over take the place of these.");
    keys.text("address", s.clients.address, "IPv4 or IPv6 address to listen on, or \"unix:/path\".");
    keys.integer<std::uint16_t>("port", s.clients.port, {0, 65535}, "0: any free port, named in the log.");
    keys.list("also_listen", s.also_listen,
              "More of them: \"[::1]:8080\", \"unix:/run/heddle.sock\". In a flag or variable: with commas.");
    keys.choice<unsigned>("unix_mode", s.unix_mode, {{"600", 0600}, {"660", 0660}, {"666", 0666}},
                          "Of a unix-domain socket's file: who may write to it may connect.");
    describe_tls(keys, s.tls);
    describe_limits(keys, s.http);
    describe_times(keys, s.http);
    keys.boolean("access_log", s.access_log, "One line for each answer.");

    keys.section("operations",
                 "A listener of its own for /healthz, /readyz, /metrics and /debug/fibers. Without one, "
                 "clients get the first three.");
    keys.text("address", s.operations.address, "");
    keys.integer<std::uint16_t>("port", s.operations.port, {0, 65535}, "0: no such listener.");
}

void describe_lane(configuration& keys, heddle::db::lane_options& lane, std::string help)
{
    keys.section("lane." + lane.name, std::move(help));
    keys.integer<std::int64_t>("running", lane.running, {1, 10'000}, "Operations at a time.");
    keys.integer<std::int64_t>("waiting", lane.waiting, {0, 100'000},
                               "Operations in the queue; one more gets 503.");
    keys.duration("queue_wait", lane.queue_wait, {0s, 1h}, "Longest time in the queue; then 503.");
}

// Empty: none.
std::optional<std::string> shown_part(const std::string& url)
{
    return url.empty() ? std::optional<std::string>("") : heddle::db::without_secrets(url);
}

void describe_sqlite(configuration& keys, heddle::db::sqlite_options& s)
{
    using heddle::db::durability;
    keys.text("path", s.path, "SQLite: the file. Made if it is not there.");
    keys.choice<durability>(
        "durability", s.durability, {{"full", durability::full}, {"normal", durability::normal}},
        "SQLite: full: what was committed survives a power cut. normal: the last commits may not.");
    keys.duration(
        "group_wait", s.group_wait, {0s, 1s},
        "SQLite: writers that queue share one COMMIT. No other joins once the oldest has waited so long.");
    keys.integer<std::size_t>("group_limit", s.group_limit, {1, 10'000},
                              "SQLite: how many share one COMMIT at most. 1: none.");
}

void describe_postgres(configuration& keys, heddle::db::postgres_options& p)
{
    keys.secret("url", p.connection,
                "what psql takes, such as \"postgresql://ada@db.example.org:5432/orders\" or "
                "\"host=/run/postgresql dbname=orders\"",
                shown_part,
                "A PostgreSQL server, as psql takes it: \"postgresql://user@host/name\" or \"host=... "
                "dbname=...\"; PGPASSWORD and ~/.pgpass count. Empty: the SQLite file.");
    keys.duration("commit_budget", p.commit_budget, {1ms, 1h},
                  "PostgreSQL: longest wait for the answer to COMMIT; then its outcome is unknown.");
    keys.boolean("transaction_pooling", p.transaction_pooling,
                 "PostgreSQL: it is reached through a pooler that lends a connection for one transaction.");
}

void describe_pool_life(configuration& keys, heddle::fiber::pool_options& p)
{
    keys.integer<std::int64_t>("opening_at_once", p.opening_at_once, {1, 100'000},
                               "Connections that are being opened at the same time, at most.");
    keys.duration("max_idle", p.max_idle, {0s, 24h},
                  "A connection that is idle for longer is closed. 0s: kept.");
    keys.duration("max_lifetime", p.max_lifetime, {0s, 24h * 30},
                  "A connection that is older, by up to a tenth less, is closed when it is idle. 0s: kept.");
    keys.duration(
        "keepalive", p.keepalive, {0s, 24h},
        "Idle connections are asked as often as this, so that nothing on the way drops them. 0s: not.");
    keys.duration("leak_after", p.leak_after, {0s, 24h},
                  "Who holds a connection for longer is named in the log. 0s: not.");
    keys.duration("reclaim_after", p.reclaim_after, {0s, 24h},
                  "Who holds a connection for longer is cancelled. 0s: never.");
}

void describe_connections(configuration& keys, connection_settings& c)
{
    using count = std::int64_t;
    keys.section(
        "connections",
        "All that connects to the PostgreSQL server at the peak: compared with its limits at the start, "
        "and by heddle capacity.");
    keys.integer<count>("instances", c.demand.instances, {1, 10'000},
                        "Of this server, with those that overlap while a new version is rolled out.");
    keys.integer<count>("batch", c.demand.batch, {0, 100'000},
                        "Of jobs and migrations, under the same role.");
    keys.integer<count>("operations", c.demand.operations, {0, 100'000},
                        "Of people, backups and monitoring.");
    keys.integer<count>("others", c.demand.others, {0, 100'000}, "Of other programs, to the same server.");
    keys.boolean("must_suffice", c.must_suffice,
                 "false: too few are a warning. true: the server does not start, and heddle capacity fails.");
}

void describe_database(configuration& keys, settings& s)
{
    keys.section("database", "The SQLite file or the PostgreSQL server, and the connections to it.");
    describe_postgres(keys, s.postgres);
    describe_sqlite(keys, s.sqlite);
    keys.duration("lock_budget", s.sqlite.lock_budget, {1ms, 1h},
                  "Longest wait for a lock of another transaction or process.");
    keys.duration("statement_ceiling", s.sqlite.statement_ceiling, {0s, 24h},
                  "Longest time of a statement where no deadline is shorter. 0s: any.");
    keys.integer<std::size_t>("statements", s.sqlite.statements, {1, 100'000},
                              "Prepared statements kept for each connection.");
    keys.integer<std::int64_t>("pool_size", s.pool.size, {1, 10'000},
                               "Connections. SQLite: those that read; writes share one.");
    keys.duration("acquire_budget", s.pool.acquire_budget, {1ms, 1h},
                  "Longest wait for a connection; then 503.");
    keys.duration("connect_budget", s.pool.connect_budget, {1ms, 1h}, "Longest time to open one.");
    describe_pool_life(keys, s.pool);
    keys.choice<start_policy>(
        "start", s.start, {{"wait", start_policy::wait}, {"fail", start_policy::fail}},
        "Where the database is away at the start. wait: the server listens, is not ready, and tries "
        "again. fail: it ends.");
    keys.duration("start_budget", s.start_budget, {1ms, 1h},
                  "With start = fail: how long the database may be away.");
    keys.boolean("migrate_at_start", s.migrate_at_start,
                 "Make and change the tables at the start. false: that is left to heddle migrate.");
    keys.integer<std::int64_t>("sample_orders", s.sample_orders, {0, 10'000'000},
                               "Orders that are generated into a new database.");
    describe_connections(keys, s.connections);
    describe_lane(keys, s.read, "Reads of orders; GET /orders/{id} does three of them at a time.");
    describe_lane(keys, s.write,
                  "New orders. `running` is how many may share one COMMIT of SQLite's; with PostgreSQL it is "
                  "at most pool_size.");
    describe_lane(keys, s.report, "Reports: apart, so that they cannot starve the orders.");
}

void describe_pricing(configuration& keys, heddle::http::client_options& p)
{
    keys.section("pricing", "The service that is asked what an article costs: GET /quotes/{sku}.");
    keys.text("origin", p.origin,
              "Such as \"http://127.0.0.1:9000\". Empty: the price list that is built in.");
    keys.integer<std::int64_t>("max_connections", p.max_connections, {1, 10'000},
                               "Connections to it, hence questions at a time.");
    keys.integer<std::int64_t>("waiting", p.waiting, {0, 100'000},
                               "Questions in the queue; the request of one more gets 503.");
    keys.duration("queue_wait", p.queue_wait, {0s, 1h}, "Longest time in the queue; then 503.");
    keys.duration("connect_budget", p.connect_budget, {1ms, 1h},
                  "Longest wait for a connection; then 502, or 504 if it is still being made.");
    keys.duration("answer_budget", p.answer_budget, {1ms, 1h}, "Longest wait for an answer; then 504.");
}

void describe_log(configuration& keys, heddle::log::options& l)
{
    using heddle::log::format;
    using heddle::log::level;
    keys.section("log", "Where lines go, and which.");
    keys.choice<format>("format", l.format, {{"text", format::text}, {"json", format::json}}, "");
    keys.choice<level>("level", l.least,
                       {{"info", level::info}, {"warning", level::warn}, {"error", level::error}},
                       "The least that is written.");
    keys.text("file", l.file, "Appended to. Empty: standard error.");
    keys.integer<std::size_t>("queue", l.queue, {1, 1'000'000},
                              "Lines that may wait for the disk; then the oldest are dropped and counted.");
}

} // namespace

heddle::configuration describe(settings& into)
{
    configuration keys;
    describe_runtime(keys, into.runtime);
    describe_http(keys, into);
    describe_database(keys, into);
    describe_pricing(keys, into.pricing);
    describe_log(keys, into.log);
    return keys;
}

} // namespace app
