-- Customers and their orders. An order's items are never changed, so they keep the price they were sold at; the
-- total stands in the order as well, for lists.
CREATE TABLE customers (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, state TEXT NOT NULL,
    total_cents INTEGER NOT NULL, placed_at TEXT NOT NULL DEFAULT (date()));
CREATE INDEX orders_of_a_customer ON orders (customer_id, id);
CREATE TABLE order_items (
    order_id INTEGER NOT NULL REFERENCES orders, sku TEXT NOT NULL, quantity INTEGER NOT NULL,
    unit_price_cents INTEGER NOT NULL, PRIMARY KEY (order_id, sku)) WITHOUT ROWID;
CREATE TABLE order_events (
    order_id INTEGER NOT NULL REFERENCES orders, note TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ')));
CREATE INDEX order_events_of_an_order ON order_events (order_id);
