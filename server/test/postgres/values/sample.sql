CREATE TABLE sample (small integer, big bigint, amount numeric(10, 2), ratio double precision, event text, flag boolean, day date, moment timestamptz, ids integer[], details json);
INSERT INTO sample SELECT 7, 9007199254740993, 1.25, 1.5, 'x', true, '2024-03-01', '2024-03-01 12:00:00+00', ARRAY[1, 2], '{"a": "b"}'
