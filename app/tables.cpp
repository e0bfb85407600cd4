// The tables of the order service. An order's items are never changed, so they keep the price they were sold
// at; the total stands in the order as well, for lists.
#include "orders.hpp"

#include <heddle/base/error.hpp>

namespace orders {

namespace {

constexpr const char* tables = R"(
    CREATE TABLE IF NOT EXISTS customers (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS orders (
        id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, state TEXT NOT NULL,
        total_cents INTEGER NOT NULL, placed_at TEXT NOT NULL DEFAULT (date()));
    CREATE INDEX IF NOT EXISTS orders_of_a_customer ON orders (customer_id, id);
    CREATE TABLE IF NOT EXISTS order_items (
        order_id INTEGER NOT NULL REFERENCES orders, sku TEXT NOT NULL, quantity INTEGER NOT NULL,
        unit_price_cents INTEGER NOT NULL, PRIMARY KEY (order_id, sku)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS order_events (
        order_id INTEGER NOT NULL REFERENCES orders, note TEXT NOT NULL,
        at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ')));
    CREATE INDEX IF NOT EXISTS order_events_of_an_order ON order_events (order_id);
)";

constexpr const char* columns_of_orders = "id customer_id state total_cents placed_at";

} // namespace

void create_tables(db::lane& lane)
{
    lane.transaction([](db::transaction& tx) {
        const auto found = tx.one<std::optional<std::string>>(
            "SELECT group_concat(name, ' ') FROM pragma_table_info('orders')");
        if (found && *found != columns_of_orders)
            throw heddle::config_error("the database's table \"orders\" is another program's or another "
                                       "version's: give this one a file of its own (database.path)");
        tx.script(tables);
    });
}

} // namespace orders
