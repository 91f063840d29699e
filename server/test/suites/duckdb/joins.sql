CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, boss INTEGER, city VARCHAR)
CREATE TABLE towns (city VARCHAR, country VARCHAR, inhabitants BIGINT)
CREATE TABLE visits (person INTEGER, at TIMESTAMP, page VARCHAR)
INSERT INTO people VALUES (1, 'Ada', NULL, 'London'), (2, 'Ben', 1, 'Paris'), (3, 'Cem', 1, NULL), (4, 'Dee', 2, 'Oslo'), (5, 'Eli', 4, 'Rome')
INSERT INTO towns VALUES ('London', 'GB', 8900000), ('Paris', 'FR', 2100000), ('Oslo', 'NO', 700000), ('Lima', 'PE', 10000000), (NULL, 'XX', 0)
INSERT INTO visits SELECT 1 + i % 6, TIMESTAMP '2024-03-01 08:00:00' + INTERVAL (i * 47) MINUTE, '/' || i % 4 FROM range(30) t(i)
SELECT name, country FROM people JOIN towns USING (city) ORDER BY name
SELECT name, country FROM people LEFT JOIN towns USING (city) ORDER BY name
SELECT name, country FROM people RIGHT JOIN towns USING (city) ORDER BY country
SELECT name, country FROM people FULL JOIN towns USING (city) ORDER BY name, country
SELECT name, country FROM people NATURAL JOIN towns ORDER BY ALL
SELECT count(*) FROM people CROSS JOIN towns
SELECT p.name, b.name FROM people p JOIN people b ON p.boss = b.id ORDER BY ALL
SELECT name FROM people SEMI JOIN towns USING (city) ORDER BY name
SELECT name FROM people ANTI JOIN towns USING (city) ORDER BY name
SELECT p.name, t.city FROM people p JOIN towns t ON p.id * 1000000 < t.inhabitants ORDER BY ALL
SELECT p.name, t.city FROM people p JOIN towns t ON p.city <> t.city AND t.inhabitants > 5000000 ORDER BY ALL
SELECT p.name, t.country FROM people p JOIN towns t ON p.city IS NOT DISTINCT FROM t.city ORDER BY ALL
SELECT name, (SELECT count(*) FROM visits WHERE person = id) AS n FROM people ORDER BY id
SELECT name FROM people WHERE EXISTS (SELECT 1 FROM visits WHERE person = id AND page = '/2') ORDER BY name
SELECT name FROM people WHERE id NOT IN (SELECT boss FROM people WHERE boss IS NOT NULL) ORDER BY name
SELECT name FROM people WHERE id NOT IN (SELECT boss FROM people)
SELECT name FROM people WHERE id > ALL (SELECT boss FROM people WHERE boss IS NOT NULL)
SELECT name FROM people WHERE id = ANY (SELECT boss FROM people) ORDER BY name
SELECT p.name, v.page FROM people p, LATERAL (SELECT page FROM visits WHERE person = p.id ORDER BY at LIMIT 2) v ORDER BY ALL
SELECT p.name, v.at FROM people p ASOF JOIN visits v ON p.id = v.person AND v.at <= TIMESTAMP '2024-03-01 12:00:00' ORDER BY ALL
SELECT x.i, v.at FROM (SELECT TIMESTAMP '2024-03-01 09:00:00' + INTERVAL (i) HOUR AS t, i FROM range(4) r(i)) x ASOF LEFT JOIN visits v ON x.t >= v.at ORDER BY ALL
SELECT * FROM (VALUES (1, 'a')) a(i, s) POSITIONAL JOIN (VALUES ('x'), ('y')) b(t)
WITH RECURSIVE line(id, name, depth) AS (SELECT id, name, 0 FROM people WHERE boss IS NULL UNION ALL SELECT p.id, p.name, depth + 1 FROM people p JOIN line ON p.boss = line.id) SELECT * FROM line ORDER BY ALL
WITH RECURSIVE fib(a, b) AS (SELECT 0::HUGEINT, 1::HUGEINT UNION ALL SELECT b, a + b FROM fib WHERE b < 10::HUGEINT ** 20) SELECT max(a) FROM fib
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT * FROM a, b
WITH a AS MATERIALIZED (SELECT id FROM people) SELECT count(*) FROM a x, a y
WITH RECURSIVE t(n) AS (SELECT 1 UNION SELECT n % 3 + 1 FROM t) SELECT * FROM t ORDER BY n
SELECT id FROM people UNION SELECT person FROM visits ORDER BY 1
SELECT id FROM people UNION ALL SELECT person FROM visits ORDER BY 1 LIMIT 7
SELECT person FROM visits EXCEPT SELECT id FROM people
SELECT person FROM visits INTERSECT SELECT id FROM people ORDER BY 1
SELECT 1 AS a, 2 AS b UNION ALL BY NAME SELECT 3 AS b, 4 AS c ORDER BY ALL
VALUES (1, 'a'), (2, 'b') ORDER BY 1 DESC
FROM people SELECT name WHERE id > 3 ORDER BY name
FROM towns ORDER BY country
SELECT people.* EXCLUDE (boss) FROM people ORDER BY id
SELECT * REPLACE (upper(name) AS name) FROM people ORDER BY id
SELECT * RENAME (name AS nom) FROM people ORDER BY id LIMIT 1
SELECT COLUMNS('.*i.*') FROM towns ORDER BY ALL
SELECT min(COLUMNS(*)) FROM towns
SELECT name, coalesce(t.country, '?') AS country FROM people p LEFT JOIN towns t ON p.city = t.city AND t.inhabitants > 1000000 ORDER BY name
SELECT p.name FROM people p LEFT JOIN towns t USING (city) WHERE t.city IS NULL ORDER BY 1
SELECT country, count(v.page) FROM towns t LEFT JOIN people p USING (city) LEFT JOIN visits v ON v.person = p.id GROUP BY country ORDER BY country
SELECT t.* FROM towns t WHERE inhabitants = (SELECT max(inhabitants) FROM towns)
SELECT (SELECT name FROM people WHERE id = 99)
SELECT (SELECT id FROM people)
SELECT id FROM people p JOIN towns t ON p.city = t.city WHERE city = 'x'
SELECT * FROM people JOIN towns
SELECT * FROM nowhere
SELECT nothing FROM people
SELECT 1 UNION SELECT 1, 2
PIVOT visits ON page USING count(*) GROUP BY person ORDER BY person
PIVOT (SELECT person, page FROM visits) ON page IN ('/0', '/1') USING count(*) ORDER BY person
UNPIVOT (SELECT 1 AS a, 2 AS b, 'x' AS k) ON a, b INTO NAME what VALUE v
SELECT * FROM (SELECT 1 AS a, NULL AS b) UNPIVOT INCLUDE NULLS (v FOR n IN (a, b))
DESCRIBE people
SUMMARIZE towns
SHOW TABLES
DESCRIBE SELECT id, name FROM people
