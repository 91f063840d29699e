CREATE TABLE stock (sku VARCHAR PRIMARY KEY, n INTEGER DEFAULT 0 CHECK (n >= 0), price DECIMAL(8, 2) NOT NULL, doubled INTEGER AS (n * 2))
INSERT INTO stock (sku, n, price) VALUES ('a', 1, 1.5), ('b', 2, 2.25)
INSERT INTO stock (sku, price) VALUES ('c', 9)
INSERT INTO stock (sku, n, price) VALUES ('a', 5, 5)
INSERT INTO stock (sku, n, price) VALUES ('d', -1, 5)
INSERT INTO stock (sku, n) VALUES ('d', 1)
INSERT INTO stock (sku, n, price) VALUES ('d', 1, 'x')
SELECT * FROM stock ORDER BY sku
INSERT INTO stock (sku, n, price) VALUES ('a', 10, 1.75) ON CONFLICT (sku) DO UPDATE SET n = stock.n + excluded.n, price = excluded.price
INSERT INTO stock (sku, n, price) VALUES ('a', 10, 1.75) ON CONFLICT DO NOTHING
INSERT OR REPLACE INTO stock (sku, n, price) VALUES ('b', 7, 7)
SELECT sku, n, price, doubled FROM stock ORDER BY sku
INSERT INTO stock (sku, n, price) VALUES ('e', 3, 3) RETURNING sku, n + 1
UPDATE stock SET n = n + 1 WHERE sku IN ('a', 'e') RETURNING sku, n, doubled
UPDATE stock SET price = price * 1.1
UPDATE stock SET n = s.k FROM (VALUES ('b', 20), ('c', 30)) s(sku, k) WHERE s.sku = stock.sku
UPDATE stock SET n = -5 WHERE sku = 'a'
UPDATE stock SET nothing = 1
SELECT sku, n, price FROM stock ORDER BY sku
DELETE FROM stock WHERE n > 25 RETURNING sku
DELETE FROM stock USING (VALUES ('b')) x(k) WHERE sku = x.k
DELETE FROM stock WHERE false
SELECT count(*), sum(n) FROM stock
ALTER TABLE stock ADD COLUMN place VARCHAR DEFAULT 'shelf'
CREATE TABLE plain (a INTEGER, b VARCHAR)
INSERT INTO plain VALUES (1, 'x'), (2, NULL), (NULL, 'z')
ALTER TABLE plain ADD COLUMN c DOUBLE DEFAULT 1.5
ALTER TABLE plain RENAME COLUMN b TO bee
ALTER TABLE plain ALTER COLUMN a TYPE BIGINT
SELECT *, typeof(a) FROM plain ORDER BY a
ALTER TABLE plain DROP COLUMN c
ALTER TABLE plain DROP COLUMN nothing
ALTER TABLE plain RENAME TO simple
SELECT * FROM simple ORDER BY a
SELECT * FROM plain
CREATE TABLE copied AS SELECT a, bee, a * 2 AS twice FROM simple WHERE a IS NOT NULL
CREATE TABLE copied (a INTEGER)
CREATE TABLE IF NOT EXISTS copied (a INTEGER)
CREATE OR REPLACE TABLE copied AS SELECT 1 AS one
SELECT * FROM copied
CREATE VIEW big AS SELECT a FROM simple WHERE a > 1
SELECT * FROM big
CREATE OR REPLACE VIEW big (aa, bb) AS SELECT a, bee FROM simple
SELECT aa FROM big ORDER BY aa
DROP VIEW big
CREATE SEQUENCE counter START 5 INCREMENT 2
SELECT nextval('counter'), nextval('counter')
SELECT currval('counter')
CREATE MACRO plus(a, b := 10) AS a + b
SELECT plus(1), plus(1, 2), plus(1, b := 3)
CREATE MACRO some_rows(n) AS TABLE SELECT i FROM range(n) t(i)
SELECT * FROM some_rows(3)
DROP MACRO plus
SELECT plus(1)
CREATE SCHEMA extra
CREATE TABLE extra.things (x INTEGER)
INSERT INTO extra.things SELECT i FROM range(5) t(i)
SELECT sum(x) FROM extra.things
TRUNCATE extra.things
SELECT count(*) FROM extra.things
DROP SCHEMA extra
DROP SCHEMA extra CASCADE
CREATE TABLE parent (id INTEGER PRIMARY KEY)
CREATE TABLE child (id INTEGER, parent INTEGER REFERENCES parent (id))
INSERT INTO parent VALUES (1)
INSERT INTO child VALUES (1, 1)
INSERT INTO child VALUES (2, 99)
DELETE FROM parent
DROP TABLE parent
CREATE INDEX by_sku ON stock (n)
CREATE UNIQUE INDEX only_once ON simple (a)
INSERT INTO simple VALUES (1, 'again')
MERGE INTO simple USING (VALUES (2, 'two'), (7, 'seven')) s(a, bee) ON simple.a = s.a WHEN MATCHED THEN UPDATE SET bee = s.bee WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.bee)
SELECT * FROM simple ORDER BY a
INSERT INTO simple BY NAME SELECT 'n' AS bee, 50 AS a
INSERT INTO simple SELECT 1, 2, 3
INSERT INTO nowhere VALUES (1)
DROP TABLE nowhere
DROP TABLE IF EXISTS nowhere
CREATE TEMP TABLE passing AS SELECT 1 AS a
COMMENT ON TABLE simple IS 'A simple table'
SELECT comment FROM duckdb_tables() WHERE table_name = 'simple'
CREATE TABLE twice (a INTEGER, a INTEGER)
CREATE TABLE "Odd Name" ("Sp ace" INTEGER, "select" VARCHAR, "quo""te" INTEGER)
INSERT INTO "Odd Name" VALUES (1, 'x', 2)
SELECT "Sp ace", "select", "quo""te" FROM "odd name"
SELECT column_name, data_type, is_nullable FROM information_schema.columns WHERE table_name = 'simple' ORDER BY ordinal_position
SELECT table_name FROM information_schema.tables WHERE table_name IN ('simple', 'stock') ORDER BY 1
