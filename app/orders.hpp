// Orders: four routes over one database and one upstream.
#pragma once

#include <heddle/db/database.hpp>
#include <heddle/http/message.hpp>
#include <heddle/http/router.hpp>

#include <boost/describe.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace orders {

namespace db = heddle::db;
namespace http = heddle::http;

// What a client posts to /orders.
struct new_order
{
    std::int64_t customer_id;
    std::string sku;
    std::int32_t quantity;
};
BOOST_DESCRIBE_STRUCT(new_order, (), (customer_id, sku, quantity))

// What the pricing service answers.
struct quote
{
    std::int64_t unit_price_cents;
    std::int32_t available;
};
BOOST_DESCRIBE_STRUCT(quote, (), (unit_price_cents, available))

struct order
{
    std::int64_t id;
    std::int64_t customer_id;
    std::string sku;
    std::int32_t quantity;
    std::int64_t total_cents;
    std::string state; // placed, paid, shipped or delivered
};
BOOST_DESCRIBE_STRUCT(order, (), (id, customer_id, sku, quantity, total_cents, state))

struct order_state
{
    std::int64_t id;
    std::string state;
};
BOOST_DESCRIBE_STRUCT(order_state, (), (id, state))

struct order_event
{
    std::string at; // RFC 3339, UTC
    std::string note;
};
BOOST_DESCRIBE_STRUCT(order_event, (), (at, note))

struct order_view
{
    order head;
    std::vector<order_event> history; // oldest first
};
BOOST_DESCRIBE_STRUCT(order_view, (), (head, history))

struct sales_line
{
    std::string sku;
    std::int64_t sold;
    std::int64_t revenue_cents;
};
BOOST_DESCRIBE_STRUCT(sales_line, (), (sku, sold, revenue_cents))

// Creates what is missing in an empty database.
void create_tables(db::lane& lane);

// The order routes. Holds references only: the database and
// what the pricing handler refers to must outlive it.
class routes
{
public:
    routes(db::database& database, http::handler pricing);

    // The router keeps pointers to this.
    void mount(http::router& router) const;

private:
    http::result<order_state> state(const http::request& req) const;
    http::result<order_view> show(const http::request& req) const;
    http::result<http::created<order>> place(const http::request& req) const;
    http::response sales(const http::request& req) const;

    db::lane& reads_;
    db::lane& writes_;
    db::lane& reports_;
    http::handler pricing_;
};

} // namespace orders
