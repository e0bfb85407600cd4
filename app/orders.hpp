// Orders: seven routes over one database and one upstream.
#pragma once

#include <heddle/db/database.hpp>
#include <heddle/db/migration.hpp>
#include <heddle/http/message.hpp>
#include <heddle/http/router.hpp>

#include <boost/describe.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orders {

namespace db = heddle::db;
namespace http = heddle::http;

struct wanted_item
{
    std::string sku;
    std::int32_t quantity;
};
BOOST_DESCRIBE_STRUCT(wanted_item, (), (sku, quantity))

// What a client posts to /orders: `items`, or `sku` and `quantity` for an order of one article.
struct new_order
{
    std::int64_t customer_id;
    std::optional<std::vector<wanted_item>> items;
    std::optional<std::string> sku;
    std::optional<std::int32_t> quantity;
};
BOOST_DESCRIBE_STRUCT(new_order, (), (customer_id, items, sku, quantity))

// What a client sends to PATCH /orders/{id}.
struct step
{
    std::string state;
};
BOOST_DESCRIBE_STRUCT(step, (), (state))

// What the pricing service answers.
struct quote
{
    std::int64_t unit_price_cents;
    std::int32_t available;
};
BOOST_DESCRIBE_STRUCT(quote, (), (unit_price_cents, available))

struct customer
{
    std::int64_t id;
    std::string name;
    std::string city;
};
BOOST_DESCRIBE_STRUCT(customer, (), (id, name, city))

struct order
{
    std::int64_t id;
    std::int64_t customer_id;
    std::string state; // order_state.hpp
    std::int64_t total_cents;
    std::string placed_at; // a day, 2026-01-31, UTC
};
BOOST_DESCRIBE_STRUCT(order, (), (id, customer_id, state, total_cents, placed_at))

// An order that can be placed.
struct priced_order
{
    std::int64_t customer_id;
    std::vector<wanted_item> items;
    std::vector<quote> prices; // each item's
    std::int64_t total_cents;
};

struct item
{
    std::string sku;
    std::int32_t quantity;
    std::int64_t unit_price_cents;
};
BOOST_DESCRIBE_STRUCT(item, (), (sku, quantity, unit_price_cents))

struct order_event
{
    std::string at; // RFC 3339, UTC
    std::string note;
};
BOOST_DESCRIBE_STRUCT(order_event, (), (at, note))

struct order_view
{
    orders::order order;
    orders::customer customer;
    std::vector<item> items;          // by sku
    std::vector<order_event> history; // oldest first
};
BOOST_DESCRIBE_STRUCT(order_view, (), (order, customer, items, history))

struct order_state
{
    std::int64_t id;
    std::string state;
};
BOOST_DESCRIBE_STRUCT(order_state, (), (id, state))

struct order_page
{
    std::vector<order> orders;       // by id
    std::optional<std::string> next; // the following page's target; null after the last
};
BOOST_DESCRIBE_STRUCT(order_page, (), (orders, next))

struct sales_line
{
    std::string sku;
    std::int64_t sold;
    std::int64_t revenue_cents;
};
BOOST_DESCRIBE_STRUCT(sales_line, (), (sku, sold, revenue_cents))

// Creates the tables in an empty database, or brings those of an older version to this one. Returns the
// names of the files that ran. Throws: what db::migrate throws; config_error if they are another program's.
std::vector<std::string> create_tables(const std::shared_ptr<db::driver>& driver);

// The names of the files that create_tables() would run.
std::vector<std::string> missing_tables(const std::shared_ptr<db::driver>& driver);

// Throws: config_error if somebody else has changed them.
void require_tables(db::lane& reads);

// The order routes. Holds references only: the database and
// what the pricing handler refers to must outlive it.
class routes
{
public:
    routes(db::database& database, http::handler pricing);

    // With `around`, if it is given, around each handler. The router keeps pointers to this.
    void mount(http::router& router, const http::middleware& around = {}) const;

private:
    http::result<order_state> state(const http::request& req) const;
    http::result<order_view> show(const http::request& req) const;
    http::result<order_page> list(const http::request& req) const;
    http::response place(const http::request& req) const;
    http::result<order> advance(const http::request& req) const;
    http::result<customer> show_customer(const http::request& req) const;
    http::response sales(const http::request& req) const;

    http::result<priced_order> priced(const http::request& req) const;
    std::vector<std::optional<quote>> quotes_for(const std::vector<wanted_item>& items) const;

    db::lane& reads_;
    db::lane& writes_;
    db::lane& reports_;
    http::handler pricing_;
};

} // namespace orders
