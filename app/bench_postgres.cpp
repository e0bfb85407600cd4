// Each row is read by a statement of its own, as the contract wants it; what is stored is stored at once.
#include "bench_postgres.hpp"

#include "bench_world.hpp"

#include <heddle/db/postgres.hpp>
#include <heddle/db/reading.hpp>
#include <heddle/http/exact.hpp>
#include <heddle/http/message.hpp>

#include <boost/describe.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace app {

using namespace std::chrono_literals;
namespace db = heddle::db;
namespace http = heddle::http;

namespace {

constexpr std::int64_t connections = 8;

struct fortune
{
    std::int32_t id;
    std::string message;
};
BOOST_DESCRIBE_STRUCT(fortune, (), (id, message))

// 1 to 500, whatever was sent.
std::size_t rows_wanted(const http::request& req)
{
    const auto n = http::exact<std::int64_t>(req.query<std::string>("n").value_or("1"));
    return static_cast<std::size_t>(std::clamp<std::int64_t>(n.value_or(1), 1, 500));
}

constexpr const char* row_by_id = "SELECT id, randomnumber AS \"randomNumber\" FROM world WHERE id = $1";

// Each a statement of its own; they go together.
template <class Ids>
std::vector<world> rows_of(db::lane& lane, const Ids& ids)
{
    std::vector<db::reading<world>> wanted;
    wanted.reserve(ids.size());
    for (const std::int32_t id : ids)
        wanted.push_back(db::one<world>(row_by_id, id));
    return lane.together(wanted);
}

std::vector<world> rows(db::lane& lane, const http::request& req)
{
    std::vector<std::int32_t> ids(rows_wanted(req));
    std::generate(ids.begin(), ids.end(), random_number);
    return rows_of(lane, ids);
}

// Each of them another row. By id, so that two requests that store some of the same rows do not wait for each
// other in a circle.
std::set<std::int32_t> different_ids(std::size_t n)
{
    std::set<std::int32_t> ids;
    while (ids.size() < n)
        ids.insert(random_number());
    return ids;
}

void store(db::lane& lane, const std::vector<world>& rows)
{
    std::string ids = "{", numbers = "{";
    for (const auto& row : rows) {
        const char* between = &row == &rows.front() ? "" : ",";
        ids += between + std::to_string(row.id);
        numbers += between + std::to_string(row.randomNumber);
    }
    lane.transaction({.retries = 3}, [&](db::transaction& tx) {
        tx.run("UPDATE world SET randomnumber = new.number "
               "FROM unnest($1::INTEGER[], $2::INTEGER[]) AS new (id, number) WHERE world.id = new.id",
               ids + '}', numbers + '}');
    });
}

std::vector<world> updated_rows(db::lane& lane, const http::request& req)
{
    auto changed = rows_of(lane, different_ids(rows_wanted(req)));
    for (auto& row : changed)
        row.randomNumber = random_number();
    store(lane, changed);
    return changed;
}

void append_escaped(std::string& to, std::string_view text)
{
    for (const char c : text)
        switch (c) {
        case '&':
            to += "&amp;";
            break;
        case '<':
            to += "&lt;";
            break;
        case '>':
            to += "&gt;";
            break;
        case '"':
            to += "&quot;";
            break;
        case '\'':
            to += "&#39;";
            break;
        default:
            to += c;
        }
}

http::response fortunes(db::lane& lane)
{
    auto all = lane.query<fortune>("SELECT id, message FROM fortune");
    all.push_back({0, "Additional fortune added at request time."});
    std::sort(all.begin(), all.end(),
              [](const fortune& a, const fortune& b) { return a.message < b.message; });

    std::string page = "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>"
                       "<tr><th>id</th><th>message</th></tr>";
    for (const auto& one : all) {
        page += "<tr><td>" + std::to_string(one.id) + "</td><td>";
        append_escaped(page, one.message);
        page += "</td></tr>";
    }
    return http::response(http::status::ok, "text/html; charset=utf-8", page + "</table></body></html>");
}

} // namespace

// What is offered ten times too fast must be refused while it is new, so few may wait for the slow ones;
// those that are measured in a closed loop may all wait.
db::database_options bench_postgres()
{
    return {
        .driver = db::postgres({}),
        .pool = {.size = connections},
        .lanes = {{.name = "quick", .running = connections, .waiting = 1024, .queue_wait = 5s},
                  {.name = "slow", .running = connections, .waiting = connections / 4, .queue_wait = 50ms}}};
}

void mount_postgres(http::router& router, db::database& database)
{
    auto& quick = database.lane("quick");
    auto& slow = database.lane("slow");
    router.get("/db-pg",
               [&quick](const http::request&) { return quick.one<world>(row_by_id, random_number()); });
    router.get("/queries-pg", [&quick](const http::request& req) { return rows(quick, req); });
    router.get("/updates-pg", [&quick](const http::request& req) { return updated_rows(quick, req); });
    router.get("/fortunes", [&quick](const http::request&) { return fortunes(quick); });
    router.get("/slow-pg", [&slow](const http::request&) {
        slow.one<std::int32_t>("SELECT 1 FROM (SELECT pg_sleep(0.05)) t");
        return http::response(http::status::ok, "text/plain", "ok");
    });
}

} // namespace app
