CREATE TABLE sales (id INTEGER, shop VARCHAR, item VARCHAR, amount DECIMAL(10, 2), n INTEGER, sold DATE, note VARCHAR)
INSERT INTO sales SELECT i, ['north', 'south', 'east', NULL][1 + i % 4], chr(97 + i % 7), (i * 37 % 101) / 4.0, i % 5, DATE '2024-01-01' + (i * 3 % 400)::INTEGER, CASE WHEN i % 3 = 0 THEN NULL ELSE 'note ' || i END FROM range(200) t(i)
SELECT count(*), count(note), count(DISTINCT shop), count(DISTINCT n) FROM sales
SELECT sum(amount), avg(amount), min(amount), max(amount) FROM sales
SELECT shop, count(*) FROM sales GROUP BY shop ORDER BY shop
SELECT shop, item, sum(n) FROM sales GROUP BY shop, item ORDER BY ALL
SELECT shop, sum(amount) AS total FROM sales GROUP BY ALL ORDER BY total DESC, shop
SELECT shop, count(*) FROM sales GROUP BY ROLLUP (shop) ORDER BY ALL
SELECT shop, n, count(*) FROM sales GROUP BY CUBE (shop, n) ORDER BY ALL
SELECT shop, n, count(*), grouping(shop, n) FROM sales GROUP BY GROUPING SETS ((shop), (n), ()) ORDER BY ALL
SELECT item FROM sales GROUP BY item HAVING count(*) > 28 ORDER BY item
SELECT shop, count(*) FILTER (WHERE n > 2) FROM sales GROUP BY shop ORDER BY shop
SELECT string_agg(item, ',' ORDER BY id) FROM sales WHERE id < 10
SELECT string_agg(DISTINCT item, '' ORDER BY item) FROM sales
SELECT list(n ORDER BY id DESC) FROM sales WHERE id < 8
SELECT array_agg(shop ORDER BY id) FROM sales WHERE id < 8
SELECT list(DISTINCT n ORDER BY n) FROM sales
SELECT median(amount), quantile_cont(amount, 0.25), quantile_disc(amount, 0.75) FROM sales
SELECT quantile_cont(n, [0.1, 0.5, 0.9]) FROM sales
SELECT mode(n) FROM (VALUES (1), (2), (2), (3)) t(n)
SELECT stddev_samp(n), stddev_pop(n), var_samp(n), var_pop(n) FROM sales WHERE id < 20
SELECT corr(id, n), covar_pop(id, n), covar_samp(id, n) FROM sales WHERE id < 50
SELECT regr_slope(id, n), regr_intercept(id, n), regr_count(id, n), regr_r2(id, n) FROM sales WHERE id < 33
SELECT bool_and(n >= 0), bool_or(n > 4) FROM sales
SELECT bit_and(n), bit_or(n), bit_xor(n) FROM sales WHERE id BETWEEN 3 AND 9
SELECT any_value(shop) IS NOT NULL FROM sales WHERE shop = 'north'
SELECT first(item ORDER BY id), last(item ORDER BY id) FROM sales
SELECT arg_min(item, amount), arg_max(id, id) FROM sales
SELECT arg_max(id, id, 3) FROM sales
SELECT min(id, 3), max(id, 3) FROM sales
SELECT histogram(n) FROM sales WHERE id < 12
SELECT approx_count_distinct(n) BETWEEN 4 AND 6 FROM sales
SELECT product(n) FROM (VALUES (1), (2), (3.5)) t(n)
SELECT sum(n) FROM sales WHERE false
SELECT count(*), sum(n), avg(n), list(n) FROM sales WHERE id < 0
SELECT sum(DISTINCT n), avg(DISTINCT n) FROM sales
SELECT kurtosis(n), skewness(n) FROM sales WHERE id < 40
SELECT entropy(n) FROM sales
SELECT mad(n) FROM sales
SELECT sum(x) FROM (VALUES (9223372036854775807), (9223372036854775807)) t(x)
SELECT sum(x) FROM (VALUES (0.1::DOUBLE), (0.2::DOUBLE)) t(x)
SELECT fsum(x) FROM (VALUES (0.1::DOUBLE), (0.2::DOUBLE), (0.3::DOUBLE)) t(x)
SELECT avg(x) FROM (VALUES (1::TINYINT), (2::TINYINT)) t(x)
SELECT max(note), min(note) FROM sales
SELECT shop FROM sales GROUP BY 1 ORDER BY 1 NULLS FIRST
SELECT n % 2 AS odd, count(*) FROM sales GROUP BY odd ORDER BY odd
SELECT count(DISTINCT (shop, n)) FROM sales
SELECT max(sold) - min(sold) FROM sales
SELECT date_trunc('month', sold) AS m, sum(amount) FROM sales GROUP BY m ORDER BY m
SELECT list_sort(list(item)) FROM sales WHERE id < 5
SELECT bitstring_agg(n) FROM sales
SELECT geomean(n + 1) FROM sales WHERE id < 10
SELECT weighted_avg(n, id) FROM sales WHERE id BETWEEN 1 AND 9
SELECT sum(shop) FROM sales
SELECT amount FROM sales GROUP BY shop
SELECT sum(sum(n)) FROM sales
SELECT count(*) FROM sales HAVING sum(n) > 1000000
SELECT shop, sum(n) FROM sales WHERE sum(n) > 1 GROUP BY shop
