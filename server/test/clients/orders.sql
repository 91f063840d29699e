CREATE TABLE orders (id INTEGER PRIMARY KEY, total DECIMAL(10, 2) NOT NULL, tags VARCHAR[], note VARCHAR);
INSERT INTO orders VALUES (1, 9.90, ['a', 'b c'], 'x'), (2, 0.5, NULL, NULL), (3, 5, [], 'y');
COMMENT ON COLUMN orders.note IS 'What was said'
