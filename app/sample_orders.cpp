// The rows are made by the database, from the numbers 1, 2, 3, ...: a row is a function of its number alone.
#include "sample_orders.hpp"

namespace orders {

namespace db = heddle::db;

namespace {

constexpr const char* customers = R"(
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < $1)
    INSERT INTO customers (id, name, city)
    SELECT n, 'Customer ' || n,
           CASE n % 5 WHEN 0 THEN 'Bergen' WHEN 1 THEN 'Porto' WHEN 2 THEN 'Lyon'
                      WHEN 3 THEN 'Gdansk' ELSE 'Graz' END
    FROM number)";

// The factor, 2^32 divided by the golden ratio, scatters neighbours over customers, articles and days.
constexpr const char* orders = R"(
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < $1),
    scattered (n, hash) AS (SELECT n, (n * 2654435769) % 4294967296 FROM number),
    chosen (n, customer, article, quantity, day, state) AS (
        SELECT n, 1 + hash % $2, (hash / 7) % 6, 1 + (hash / 64) % 5, (hash / 512) % 365, (hash / 1024) % 4
        FROM scattered)
    INSERT INTO orders (id, customer_id, sku, quantity, total_cents, state, placed_at)
    SELECT n, customer,
           CASE article WHEN 0 THEN 'tea' WHEN 1 THEN 'coffee' WHEN 2 THEN 'cocoa'
                        WHEN 3 THEN 'sugar' WHEN 4 THEN 'honey' ELSE 'salt' END,
           quantity,
           quantity * CASE article WHEN 0 THEN 250 WHEN 1 THEN 790 WHEN 2 THEN 420
                                   WHEN 3 THEN 120 WHEN 4 THEN 640 ELSE 60 END,
           CASE state WHEN 0 THEN 'placed' WHEN 1 THEN 'paid' WHEN 2 THEN 'shipped' ELSE 'delivered' END,
           date('2025-01-01', day || ' days')
    FROM chosen)";

// Each order has gone through all states up to its own, one a day.
constexpr const char* events = R"(
    WITH step (number, note) AS (VALUES (0, 'placed'), (1, 'paid'), (2, 'shipped'), (3, 'delivered'))
    INSERT INTO order_events (order_id, note, at)
    SELECT orders.id, step.note, strftime('%Y-%m-%dT%H:%M:%SZ', placed_at, step.number || ' days', '9 hours')
    FROM orders, step
    WHERE step.number <= CASE state WHEN 'placed' THEN 0 WHEN 'paid' THEN 1 WHEN 'shipped' THEN 2 ELSE 3 END
    ORDER BY orders.id, step.number)";

} // namespace

bool fill(db::lane& lane, const sample& amount)
{
    return lane.transaction([&](db::transaction& tx) {
        if (tx.one<std::int64_t>("SELECT count(*) FROM (SELECT 1 FROM customers LIMIT 1)") > 0 ||
            amount.customers < 1)
            return false;
        tx.run(customers, amount.customers);
        if (amount.orders > 0) {
            tx.run(orders, amount.orders, amount.customers);
            tx.run(events);
        }
        return true;
    });
}

} // namespace orders
