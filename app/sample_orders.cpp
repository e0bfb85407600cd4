// The rows are made by the database, from the numbers 1, 2, 3, ...: a row is a function of its number alone.
#include "sample_orders.hpp"

namespace orders {

namespace db = heddle::db;

namespace {

// To the end of the transaction, for whoever fills the same database: longer than a request may wait. The
// number is "orders" in ASCII. With SQLite the transaction is the lock.
constexpr db::sql lock_out_others{.sqlite = "",
                                  .postgres = "SET LOCAL lock_timeout = '1min'; "
                                              "SELECT pg_advisory_xact_lock(x'6f7264657273'::bigint)"};

constexpr const char* customers = R"(
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < $1)
    INSERT INTO customers (id, name, city)
    SELECT n, 'Customer ' || n,
           CASE n % 5 WHEN 0 THEN 'Bergen' WHEN 1 THEN 'Porto' WHEN 2 THEN 'Lyon'
                      WHEN 3 THEN 'Gdansk' ELSE 'Graz' END
    FROM number)";

// The factor, 2^32 divided by the golden ratio, scatters neighbours over customers, articles and days.
constexpr db::sql orders{
    .sqlite = R"(
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < $1),
    scattered (n, hash) AS (SELECT n, (n * 2654435769) % 4294967296 FROM number)
    INSERT INTO orders (id, customer_id, state, total_cents, placed_at)
    SELECT n, 1 + hash % $2,
           CASE (hash / 1024) % 4 WHEN 0 THEN 'placed' WHEN 1 THEN 'paid' WHEN 2 THEN 'shipped'
                                  ELSE 'delivered' END,
           0, date('2025-01-01', ((hash / 512) % 365) || ' days')
    FROM scattered)",
    .postgres = R"(
    WITH scattered (n, hash) AS (
        SELECT n, (n * 2654435769) % 4294967296 FROM generate_series(CAST(1 AS BIGINT), $1) AS n)
    INSERT INTO orders (id, customer_id, state, total_cents, placed_at)
    SELECT n, 1 + hash % $2,
           CASE (hash / 1024) % 4 WHEN 0 THEN 'placed' WHEN 1 THEN 'paid' WHEN 2 THEN 'shipped'
                                  ELSE 'delivered' END,
           0, DATE '2025-01-01' + CAST((hash / 512) % 365 AS INTEGER)
    FROM scattered)",
};

// Where numbers are drawn from a sequence, it goes on behind those that were given.
constexpr db::sql next_order{
    .sqlite = "SELECT max(id) FROM orders",
    .postgres = "SELECT setval(pg_get_serial_sequence('orders', 'id'), max(id)) FROM orders"};

// One to three neighbours in the list of articles.
constexpr const char* items = R"(
    WITH article (number, sku, price) AS (
        VALUES (0, 'tea', 250), (1, 'coffee', 790), (2, 'cocoa', 420),
               (3, 'sugar', 120), (4, 'honey', 640), (5, 'salt', 60)),
    line (number) AS (VALUES (0), (1), (2)),
    scattered (id, hash) AS (SELECT id, (id * 2654435769) % 4294967296 FROM orders)
    INSERT INTO order_items (order_id, sku, quantity, unit_price_cents)
    SELECT id, sku, 1 + (hash / (64 << line.number)) % 5, price
    FROM scattered CROSS JOIN line JOIN article ON article.number = (hash / 7 + line.number) % 6
    WHERE line.number <= (hash / 4096) % 3
    ORDER BY id, sku)";

constexpr const char* totals = R"(
    UPDATE orders SET total_cents =
        (SELECT sum(quantity * unit_price_cents) FROM order_items WHERE order_id = orders.id))";

// Each order has gone through all states up to its own, one a day.
constexpr db::sql events{
    .sqlite = R"(
    WITH step (number, note) AS (VALUES (0, 'placed'), (1, 'paid'), (2, 'shipped'), (3, 'delivered'))
    INSERT INTO order_events (order_id, note, at)
    SELECT orders.id, step.note, strftime('%Y-%m-%dT%H:%M:%SZ', placed_at, step.number || ' days', '9 hours')
    FROM orders, step
    WHERE step.number <= CASE state WHEN 'placed' THEN 0 WHEN 'paid' THEN 1 WHEN 'shipped' THEN 2 ELSE 3 END
    ORDER BY orders.id, step.number)",
    .postgres = R"(
    WITH step (number, note) AS (VALUES (0, 'placed'), (1, 'paid'), (2, 'shipped'), (3, 'delivered'))
    INSERT INTO order_events (order_id, note, at)
    SELECT orders.id, step.note, (placed_at + step.number + TIME '9:00') AT TIME ZONE 'UTC'
    FROM orders, step
    WHERE step.number <= CASE state WHEN 'placed' THEN 0 WHEN 'paid' THEN 1 WHEN 'shipped' THEN 2 ELSE 3 END
    ORDER BY orders.id, step.number)",
};

bool is_filled(db::transaction& tx)
{
    return tx.one<std::int64_t>("SELECT count(*) FROM (SELECT 1 FROM customers LIMIT 1) AS found") > 0;
}

} // namespace

bool fill(db::lane& lane, const sample& amount)
{
    return lane.transaction({.isolation = db::isolation::read_committed, .group = false}, [&](db::transaction& tx) {
        if (amount.customers < 1 || is_filled(tx))
            return false;
        tx.script(lock_out_others);
        if (is_filled(tx))
            return false;
        tx.run(customers, amount.customers);
        if (amount.orders > 0) {
            tx.run(orders, amount.orders, amount.customers);
            tx.run(items);
            tx.run(totals);
            tx.run(events);
            tx.one<std::int64_t>(next_order);
        }
        return true;
    });
}

} // namespace orders
