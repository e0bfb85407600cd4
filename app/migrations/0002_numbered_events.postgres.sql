-- Of two events in the same second, which came first.
ALTER TABLE order_events ADD COLUMN id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
