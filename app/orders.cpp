// The order routes' handlers that read: plain blocking code. Deadlines, rollback, 503, metrics and logs are
// elsewhere.
#include "orders.hpp"

#include <heddle/http/middleware.hpp>

#include "day.hpp"

#include <functional>

namespace orders {

namespace {

constexpr std::int64_t usual_page = 20; // orders
constexpr std::int64_t largest_page = 100;

http::problem no_order(std::int64_t id)
{
    return http::problem::not_found("there is no order " + std::to_string(id));
}

// GET /orders' query.
struct page_request
{
    std::optional<std::int64_t> customer;
    std::int64_t after; // only orders with a greater id
    std::int64_t limit;
};

std::vector<http::problem::fault> faults_of(const page_request& wanted)
{
    std::vector<http::problem::fault> faults;
    if (wanted.customer && *wanted.customer < 1)
        faults.push_back({"/query/customer", "must be at least 1"});
    if (wanted.after < 0)
        faults.push_back({"/query/after", "must not be negative"});
    if (wanted.limit < 1 || wanted.limit > largest_page)
        faults.push_back({"/query/limit", "must be from 1 to " + std::to_string(largest_page)});
    return faults;
}

std::string target_of(const page_request& page)
{
    const auto customer = page.customer ? "customer=" + std::to_string(*page.customer) + "&" : "";
    return "/orders?" + customer + "after=" + std::to_string(page.after) +
           "&limit=" + std::to_string(page.limit);
}

// The page, and one more order if there is one.
std::vector<order> orders_of(const page_request& page, db::lane& lane)
{
    if (page.customer)
        return lane.query<order>("SELECT id, customer_id, state, total_cents, placed_at FROM orders "
                                 "WHERE customer_id = $1 AND id > $2 ORDER BY id LIMIT $3",
                                 *page.customer, page.after, page.limit + 1);
    return lane.query<order>("SELECT id, customer_id, state, total_cents, placed_at FROM orders "
                             "WHERE id > $1 ORDER BY id LIMIT $2",
                             page.after, page.limit + 1);
}

} // namespace

routes::routes(db::database& database, http::handler pricing)
    : reads_(database.lane("read")),
      writes_(database.lane("write")),
      reports_(database.lane("report")),
      pricing_(std::move(pricing))
{
}

void routes::mount(http::router& router, const http::middleware& around) const
{
    const auto with_it = [&](auto handler) {
        auto made = http::as_handler(std::bind_front(handler, this));
        return around ? http::chain({around}, std::move(made)) : made;
    };
    router.get("/orders/{id}/state", with_it(&routes::state));
    router.get("/orders/{id}", with_it(&routes::show));
    router.get("/orders", with_it(&routes::list));
    router.post("/orders", with_it(&routes::place));
    router.patch("/orders/{id}", with_it(&routes::advance));
    router.get("/customers/{id}", with_it(&routes::show_customer));
    router.get("/reports/sales", with_it(&routes::sales));
}

// GET /orders/{id}/state: one row by its key.
http::result<order_state> routes::state(const http::request& req) const
{
    const auto id = req.path<std::int64_t>("id");

    auto found = reads_.find<order_state>("SELECT id, state FROM orders WHERE id = $1", id);
    if (!found)
        return no_order(id);
    return *std::move(found);
}

// GET /orders/{id}: four reads that go to the database together, over one state of it.
http::result<order_view> routes::show(const http::request& req) const
{
    const auto id = req.path<std::int64_t>("id");

    auto [order, history, items, customer] = reads_.read([&](db::transaction& tx) {
        return tx.together(
            db::find<orders::order>(
                "SELECT id, customer_id, state, total_cents, placed_at FROM orders WHERE id = $1", id),
            db::query<order_event>("SELECT at, note FROM order_events WHERE order_id = $1 ORDER BY id", id),
            db::query<item>(
                "SELECT sku, quantity, unit_price_cents FROM order_items WHERE order_id = $1 ORDER BY sku",
                id),
            db::find<orders::customer>("SELECT customers.id, name, city FROM customers "
                                       "JOIN orders ON customer_id = customers.id WHERE orders.id = $1",
                                       id));
    });
    if (!order || !customer)
        return no_order(id);
    return order_view{*std::move(order), *std::move(customer), std::move(items), std::move(history)};
}

// GET /orders?customer=7&after=120&limit=20: a page begins after a key, not after a number of rows, so a late
// page costs as little as the first, and what is placed meanwhile shifts none.
http::result<order_page> routes::list(const http::request& req) const
{
    page_request wanted{.customer = req.query<std::int64_t>("customer"),
                        .after = req.query<std::int64_t>("after").value_or(0),
                        .limit = req.query<std::int64_t>("limit").value_or(usual_page)};
    if (auto faults = faults_of(wanted); !faults.empty())
        return http::problem::invalid(std::move(faults));

    order_page page{.orders = orders_of(wanted, reads_), .next = {}};
    if (page.orders.size() > static_cast<std::size_t>(wanted.limit)) {
        page.orders.pop_back();
        wanted.after = page.orders.back().id;
        page.next = target_of(wanted);
    }
    return page;
}

// GET /customers/{id}
http::result<customer> routes::show_customer(const http::request& req) const
{
    const auto id = req.path<std::int64_t>("id");

    auto found = reads_.find<customer>("SELECT id, name, city FROM customers WHERE id = $1", id);
    if (!found)
        return http::problem::not_found("there is no customer " + std::to_string(id));
    return *std::move(found);
}

// GET /reports/sales?since=2026-01-01: one JSON line per article, never the whole table in memory.
// Runs in its own lane, so that a report cannot starve the orders.
http::response routes::sales(const http::request& req) const
{
    const auto since = req.query<std::string>("since").value_or("1970-01-01");
    if (!is_day(since))
        throw http::bad_request("/query/since", "must be a day, such as 2026-01-31");

    return http::stream("application/x-ndjson", [this, since](http::sink& out) {
        reports_.read([&](db::transaction& tx) {
            tx.for_each<sales_line>([&](const sales_line& line) { out.write(http::to_json(line) + '\n'); },
                                    "SELECT sku, CAST(sum(quantity) AS BIGINT) AS sold, "
                                    "CAST(sum(quantity * unit_price_cents) AS BIGINT) AS revenue_cents "
                                    "FROM orders JOIN order_items ON order_id = orders.id "
                                    "WHERE placed_at >= $1 AND state <> 'cancelled' "
                                    "GROUP BY sku ORDER BY sku",
                                    since);
        });
    });
}

} // namespace orders
