-- Of two events in the same second, which came first.
ALTER TABLE order_events RENAME TO events_without_numbers;
CREATE TABLE order_events (
    id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders, note TEXT NOT NULL,
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ')));
INSERT INTO order_events (id, order_id, note, at)
    SELECT rowid, order_id, note, at FROM events_without_numbers;
DROP TABLE events_without_numbers;
CREATE INDEX order_events_of_an_order ON order_events (order_id);
