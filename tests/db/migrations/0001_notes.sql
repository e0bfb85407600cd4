-- Mülleré1: what a compiler could take for something else: "quoted", '\n', ??/, 	tab
CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL);

INSERT INTO notes VALUES (1, '\x41'), (2, '"')