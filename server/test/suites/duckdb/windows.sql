CREATE TABLE runs (runner VARCHAR, day DATE, metres INTEGER, pace DOUBLE)
INSERT INTO runs SELECT ['ann', 'bob', 'eve'][1 + i % 3], DATE '2024-02-20' + (i // 3)::INTEGER, CASE WHEN i % 11 = 0 THEN NULL ELSE 1000 + i * 137 % 900 END, 4 + i % 7 / 8 FROM range(45) t(i)
SELECT runner, day, row_number() OVER (PARTITION BY runner ORDER BY day) FROM runs ORDER BY ALL
SELECT runner, day, rank() OVER (ORDER BY metres, runner, day) FROM runs ORDER BY ALL
SELECT runner, dense_rank() OVER (ORDER BY runner) FROM runs ORDER BY ALL
SELECT day, percent_rank() OVER (PARTITION BY runner ORDER BY day), cume_dist() OVER (PARTITION BY runner ORDER BY day) FROM runs WHERE runner = 'ann' ORDER BY day
SELECT day, ntile(4) OVER (ORDER BY day) FROM runs WHERE runner = 'bob' ORDER BY day
SELECT day, lag(metres) OVER (ORDER BY day), lead(metres, 2, -1) OVER (ORDER BY day) FROM runs WHERE runner = 'eve' ORDER BY day
SELECT day, lag(metres IGNORE NULLS) OVER (ORDER BY day) FROM runs WHERE runner = 'eve' ORDER BY day
SELECT day, first_value(metres) OVER w, last_value(metres) OVER w, nth_value(metres, 2) OVER w FROM runs WHERE runner = 'ann' WINDOW w AS (ORDER BY day ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) ORDER BY day
SELECT day, sum(metres) OVER (ORDER BY day) FROM runs WHERE runner = 'ann' ORDER BY day
SELECT day, sum(metres) OVER (ORDER BY day ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM runs WHERE runner = 'ann' ORDER BY day
SELECT day, avg(metres) OVER (ORDER BY day RANGE BETWEEN INTERVAL 3 DAY PRECEDING AND CURRENT ROW) FROM runs WHERE runner = 'bob' ORDER BY day
SELECT day, count(*) OVER (ORDER BY pace RANGE BETWEEN 0.25 PRECEDING AND 0.25 FOLLOWING) FROM runs ORDER BY ALL
SELECT day, sum(metres) OVER (ORDER BY day GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM runs ORDER BY ALL
SELECT day, count(*) OVER (ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) FROM runs WHERE runner = 'eve' ORDER BY day
SELECT day, count(*) OVER (ORDER BY pace EXCLUDE TIES) FROM runs WHERE runner = 'eve' ORDER BY ALL
SELECT runner, day FROM runs QUALIFY row_number() OVER (PARTITION BY runner ORDER BY metres DESC NULLS LAST, day) = 1 ORDER BY runner
SELECT runner, metres, max(metres) OVER (PARTITION BY runner) - metres FROM runs ORDER BY ALL
SELECT runner, count(DISTINCT pace) OVER (PARTITION BY runner) FROM runs ORDER BY ALL
SELECT runner, sum(metres) FILTER (WHERE pace > 4.2) OVER (PARTITION BY runner) FROM runs ORDER BY ALL
SELECT runner, sum(sum(metres)) OVER (ORDER BY runner) FROM runs GROUP BY runner ORDER BY runner
SELECT day, list(metres) OVER (ORDER BY day ROWS 1 PRECEDING) FROM runs WHERE runner = 'ann' ORDER BY day
SELECT day, string_agg(runner, '') OVER (ORDER BY day, runner ROWS 2 PRECEDING) FROM runs WHERE day < '2024-02-24' ORDER BY day, runner
SELECT day, median(metres) OVER (ORDER BY day ROWS 4 PRECEDING) FROM runs WHERE runner = 'bob' ORDER BY day
SELECT day, quantile_cont(metres, 0.5) OVER (ORDER BY day) FROM runs WHERE runner = 'bob' ORDER BY day
SELECT fill(x) OVER (ORDER BY i) FROM (VALUES (1, 1.0), (2, NULL), (3, 3.0)) t(i, x)
SELECT row_number() OVER () + 0 FROM range(3)
SELECT DISTINCT runner, count(*) OVER (PARTITION BY runner) FROM runs ORDER BY runner
SELECT day, lead(day) OVER (PARTITION BY runner ORDER BY day) - day FROM runs ORDER BY ALL
SELECT rank() OVER (ORDER BY runner DESC), runner FROM runs ORDER BY ALL LIMIT 5
SELECT sum(1) OVER (ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM range(4)
SELECT last_value(x IGNORE NULLS) OVER (ORDER BY i) FROM (VALUES (1, 5), (2, NULL), (3, 6)) t(i, x)
SELECT row_number() FROM runs
SELECT sum(metres) OVER nowhere FROM runs
SELECT runner FROM runs WHERE row_number() OVER () = 1
