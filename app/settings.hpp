// All that can be set from outside: the options of the parts themselves, with the defaults of the shipped
// server. app/heddle.toml is the same list for people.
#pragma once

#include <heddle/base/config.hpp>
#include <heddle/base/log.hpp>
#include <heddle/db/capacity.hpp>
#include <heddle/db/database.hpp>
#include <heddle/db/postgres.hpp>
#include <heddle/db/sqlite.hpp>
#include <heddle/fiber/runtime.hpp>
#include <heddle/http/client.hpp>
#include <heddle/http/server.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace app {

using namespace std::chrono_literals;

// Who else connects to the same PostgreSQL server: for heddle capacity.
struct connection_settings
{
    heddle::db::connection_demand demand{.operations = 3};
    bool must_suffice = false;
};

enum class start_policy
{
    wait, // serve, and be not ready, until the database can be had
    fail, // end
};

struct address_settings
{
    std::string address = "127.0.0.1"; // or unix:/path, which has no port
    std::uint16_t port = 0;
};

struct tls_settings
{
    std::vector<std::string> listen; // as net::parse_endpoint() takes them; for clients
    std::vector<std::string> certificates;
    std::vector<std::string> keys;             // one for each certificate, in their order
    heddle::net::tls_server_options options{}; // but for its certificates
};

struct settings
{
    heddle::fiber::runtime_options runtime{.workers = 2};

    address_settings clients{.port = 8080};
    std::vector<std::string> also_listen; // as net::parse_endpoint() takes them; for clients
    tls_settings tls;
    address_settings operations; // port 0: none
    unsigned unix_mode = 0660;
    heddle::http::server_options http{.request_budget = 2s}; // without its listeners: see listeners.hpp
    bool access_log = false;

    heddle::db::postgres_options postgres; // without a connection: the database is the SQLite file
    heddle::db::sqlite_options sqlite{.path = "heddle.db"};
    start_policy start = start_policy::wait;
    heddle::fiber::duration start_budget = 5s;
    bool migrate_at_start = true;
    std::int64_t sample_orders = 10'000;
    heddle::fiber::pool_options pool;
    connection_settings connections;
    // An order is read by three fibers, each with a place of its own: there is room for 64 clients and more.
    heddle::db::lane_options read{.name = "read", .running = 6, .waiting = 256, .queue_wait = 50ms};
    heddle::db::lane_options write{.name = "write", .running = 64, .waiting = 64, .queue_wait = 200ms};
    heddle::db::lane_options report{.name = "report", .running = 1, .waiting = 0};

    // Without an origin: the price list that is built in.
    heddle::http::client_options pricing{.sends_request_id = true};

    heddle::log::options log;
};

// Names the keys of `into`, which must outlive the result.
heddle::configuration describe(settings& into);

} // namespace app
