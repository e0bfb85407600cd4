// The order routes' handlers: plain blocking code. Deadlines, rollback, 503, metrics and logs are elsewhere.
#include "orders.hpp"

#include <heddle/fiber/all.hpp>
#include <heddle/fiber/scope.hpp>
#include <heddle/http/escape.hpp>

#include <functional>
#include <limits>
#include <utility>

namespace orders {

using namespace std::chrono_literals;
namespace fiber = heddle::fiber;

void create_tables(db::lane& lane)
{
    lane.script(R"(
        CREATE TABLE IF NOT EXISTS customers (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS orders (
            id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, sku TEXT NOT NULL,
            quantity INTEGER NOT NULL, total_cents INTEGER NOT NULL, state TEXT NOT NULL,
            placed_at TEXT NOT NULL DEFAULT (date()));
        CREATE TABLE IF NOT EXISTS order_events (
            order_id INTEGER NOT NULL REFERENCES orders, note TEXT NOT NULL,
            at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ')));
        CREATE INDEX IF NOT EXISTS order_events_of_an_order ON order_events (order_id);
    )");
}

routes::routes(db::database& database, http::handler pricing)
    : reads_(database.lane("read")),
      writes_(database.lane("write")),
      reports_(database.lane("report")),
      pricing_(std::move(pricing))
{
}

void routes::mount(http::router& router) const
{
    router.get("/orders/{id}/state", std::bind_front(&routes::state, this));
    router.get("/orders/{id}", std::bind_front(&routes::show, this));
    router.post("/orders", std::bind_front(&routes::place, this));
    router.get("/reports/sales", std::bind_front(&routes::sales, this));
}

// GET /orders/{id}/state: one row by its key.
http::result<order_state> routes::state(const http::request& req) const
{
    const auto id = req.path<std::int64_t>("id");

    auto found = reads_.find<order_state>("SELECT id, state FROM orders WHERE id = $1", id);
    if (!found)
        return http::problem::not_found("there is no order " + std::to_string(id));
    return *std::move(found);
}

// GET /orders/{id}: the order and its history, read side by side.
http::result<order_view> routes::show(const http::request& req) const
{
    const auto id = req.path<std::int64_t>("id");

    auto [head, history] = fiber::all(
        [&] {
            return reads_.find<order>(
                "SELECT id, customer_id, sku, quantity, total_cents, state FROM orders WHERE id = $1", id);
        },
        [&] {
            return reads_.query<order_event>(
                "SELECT at, note FROM order_events WHERE order_id = $1 ORDER BY at, rowid", id);
        });

    if (!head)
        return http::problem::not_found("there is no order " + std::to_string(id));
    return order_view{*std::move(head), std::move(history)};
}

// POST /orders: price first, write last. The remote call is over before the write permit and the
// connection are taken, and both are held for two statements only.
http::result<http::created<order>> routes::place(const http::request& req) const
{
    const auto wanted = req.json<new_order>();
    if (wanted.quantity < 1)
        return http::problem::invalid("/quantity", "must be at least 1");

    const auto price = fiber::within(300ms, [&] {
        return http::expect<quote>(pricing_(http::get("/quotes/" + http::escape(wanted.sku))));
    });
    if (price.available < wanted.quantity)
        return http::problem{http::status::conflict, "only " + std::to_string(price.available) + " left"};
    if (price.unit_price_cents > std::numeric_limits<std::int64_t>::max() / wanted.quantity)
        return http::problem::invalid("/quantity", "the total cannot be represented");

    auto placed = writes_.transaction([&](db::transaction& tx) {
        auto row = tx.one<order>("INSERT INTO orders (customer_id, sku, quantity, total_cents, state) "
                                 "VALUES ($1, $2, $3, $4, 'placed') "
                                 "RETURNING id, customer_id, sku, quantity, total_cents, state",
                                 wanted.customer_id, wanted.sku, wanted.quantity,
                                 wanted.quantity * price.unit_price_cents);
        tx.run("INSERT INTO order_events (order_id, note) VALUES ($1, $2)", row.id, "placed");
        return row;
    });
    return http::created{"/orders/" + std::to_string(placed.id), std::move(placed)};
}

// GET /reports/sales?since=2026-01-01: one JSON line per article, never the whole table in memory.
// Runs in its own lane, so that a report cannot starve the orders.
http::response routes::sales(const http::request& req) const
{
    const auto since = req.query<std::string>("since").value_or("1970-01-01");

    return http::stream("application/x-ndjson", [this, since](http::sink& out) {
        reports_.read([&](db::transaction& tx) {
            tx.for_each<sales_line>([&](const sales_line& line) { out.write(http::to_json(line) + '\n'); },
                                    "SELECT sku, CAST(sum(quantity) AS BIGINT) AS sold, "
                                    "CAST(sum(total_cents) AS BIGINT) AS revenue_cents "
                                    "FROM orders WHERE placed_at >= $1 GROUP BY sku ORDER BY sku",
                                    since);
        });
    });
}

} // namespace orders
