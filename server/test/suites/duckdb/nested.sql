SELECT [1, 2, 3], ['a', NULL], [], [[1], [], NULL], [NULL]
SELECT [1, 2, 3][1], [1, 2, 3][-1], [1, 2, 3][0], [1, 2, 3][4], [1, 2, 3][2:], [1, 2, 3, 4][1:4:2], list_slice([1, 2, 3], 1, 2)
SELECT len([1, NULL]), array_length([]), list_contains([1, 2], 2), list_position([1, 2], 2), list_has([1], 3), list_has_any([1, 2], [2, 5]), list_has_all([1, 2], [2])
SELECT list_concat([1], [2]), [1] || [2], list_append([1], 2), list_prepend(0, [1]), array_push_back([1], 9), array_pop_back([1, 2])
SELECT list_sort([3, 1, NULL, 2]), list_sort([3, 1, 2], 'DESC'), list_reverse_sort([1, 2]), list_reverse([1, 2, 3]), list_sort([1, NULL], 'ASC', 'NULLS LAST')
SELECT list_distinct([1, 1, NULL]), list_unique([1, 1, 2, NULL]), list_intersect([1, 2], [2, 3]), list_select([1, 2, 3], [3, 1]), list_where([1, 2], [true, false])
SELECT list_sum([1, 2.5]), list_avg([1, 2]), list_min([2, 1]), list_max(['a', 'b']), list_count([1, NULL]), list_product([2, 3]), list_first([1, 2]), list_last([1, 2])
SELECT list_transform([1, 2, 3], x -> x * 2), [x * 2 FOR x IN [1, 2, 3] IF x > 1], list_filter([1, 2, 3], x -> x > 1), list_reduce([1, 2, 3], (a, b) -> a + b)
SELECT list_transform([1, 2, 3], lambda x, i: x + i), list_reduce(['a', 'b'], lambda a, b: a || b, 'z')
SELECT list_zip([1, 2], ['a', 'b'])::VARCHAR, list_zip([1, 2], [3], true)::VARCHAR, list_resize([1], 3, 0), flatten([[1, 2], [3]])
SELECT list_cosine_similarity([1.0, 2.0], [2.0, 1.0]), list_dot_product([1, 2], [3, 4]), list_distance([0, 0], [3, 4])
SELECT unnest([1, 2, 3]) AS x
SELECT unnest([1, 2]) AS a, unnest(['x', 'y', 'z']) AS b
SELECT * FROM unnest([10, 20]) WITH ORDINALITY AS t(v, i)
SELECT id, unnest(tags) AS tag FROM (VALUES (1, ['a', 'b']), (2, []), (3, NULL)) t(id, tags) ORDER BY ALL
SELECT unnest({'a': 1, 'b': {'c': 2}}, recursive := true)
SELECT unnest([[1, 2], [3]], max_depth := 2)
SELECT {'a': 1, 'b': 'x'}, {'a': NULL}, struct_pack(x := 1, y := [2]), row(1, 'a')::VARCHAR, (1, 2)::VARCHAR
SELECT s.a, s['b'], struct_extract(s, 'a'), s.* FROM (SELECT {'a': 1, 'b': 'x'} AS s)
SELECT struct_insert({'a': 1}, b := 2), struct_update({'a': 1}, a := 3), struct_concat({'a': 1}, {'b': 2}), struct_keys({'x': 1, 'y': 2})
SELECT {'a': 1} = {'a': 1}, {'a': 1} < {'a': 2}, [1, 2] < [1, 3], [1] = [1.0], [NULL] = [NULL]
SELECT MAP {'a': 1, 'b': 2}, MAP {}, MAP([1, 2], ['x', 'y']), map_from_entries([(1, 'a')])
SELECT m['a'], m['z'], map_keys(m), map_values(m), cardinality(m), map_contains(m, 'a'), map_entries(m), map_extract(m, 'b') FROM (SELECT MAP {'a': 1, 'b': 2} AS m)
SELECT MAP {'a': 1, 'a': 2}
SELECT map_concat(MAP {1: 'a'}, MAP {1: 'b', 2: 'c'})
SELECT union_value(n := 1), union_value(s := 'x'), union_tag(union_value(n := 1)), union_extract(union_value(k := 5), 'k')
SELECT 1::UNION(n INTEGER, s VARCHAR), 'a'::UNION(n INTEGER, s VARCHAR)
SELECT [1, 2, 3]::INTEGER[3], array_value(1, 2), [1.5, 2]::FLOAT[2], array_distance([1, 2]::FLOAT[2], [1, 3]::FLOAT[2])
SELECT [1, 2]::INTEGER[3]
SELECT 'a'::ENUM('a', 'b'), 'b'::ENUM('a', 'b') > 'a'::ENUM('a', 'b')
SELECT 'c'::ENUM('a', 'b')
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')
CREATE TABLE moods (id INTEGER, m mood)
INSERT INTO moods VALUES (1, 'happy'), (2, 'sad'), (3, NULL), (4, 'ok')
SELECT m FROM moods ORDER BY m
SELECT max(m), min(m) FROM moods WHERE m > 'sad'
SELECT enum_range(NULL::ENUM('x', 'y')), enum_first(NULL::ENUM('x', 'y')), enum_code('y'::ENUM('x', 'y'))
INSERT INTO moods VALUES (5, 'angry')
SELECT '101'::BIT, bit_count('101'::BIT), '101'::BIT & '110'::BIT, get_bit('101'::BIT, 1), set_bit('101'::BIT, 1, 1), 5::BIT
SELECT '\xAA\x00\xFF'::BLOB, 'abc'::BLOB || '\x00'::BLOB, octet_length('\xAA'::BLOB), 'ä'::BLOB
SELECT '550e8400-e29b-41d4-a716-446655440000'::UUID, 'A0EEBC999C0B4EF8BB6D6BB9BD380A11'::UUID, uuid() <> uuid(), length(gen_random_uuid()::VARCHAR)
SELECT 'x'::UUID
SELECT [{'a': 1, 'b': [2, 3]}, {'a': NULL, 'b': []}], {'l': [MAP {'k': [1]}]}
SELECT [DATE '2024-01-01', NULL], {'t': TIMESTAMP '2024-01-01 02:03:04'}, [TIMESTAMPTZ '2024-01-01 00:00:00+00'], [INTERVAL 1 DAY], [1.10], [9007199254740993]
SELECT ['nan'::DOUBLE, 'inf'::DOUBLE], [1e400::DOUBLE IS NULL]
SELECT ['nan'::DOUBLE, 'inf'::DOUBLE, -0.0::DOUBLE], {'x': 'nan'::DOUBLE}
SELECT ['é', '"', '\', chr(10)], {'a "b"': 1}, MAP {'x y': 'z'}
CREATE TABLE boxes (id INTEGER, dims STRUCT(w INTEGER, h INTEGER), labels VARCHAR[], attrs MAP(VARCHAR, INTEGER))
INSERT INTO boxes VALUES (1, {'w': 2, 'h': 3}, ['x', 'y'], MAP {'a': 1}), (2, NULL, [], MAP {}), (3, {'w': NULL, 'h': 1}, NULL, NULL)
SELECT id, dims.w * dims.h, labels[1], attrs['a'] FROM boxes ORDER BY id
SELECT * FROM boxes ORDER BY dims DESC NULLS LAST, id
SELECT dims FROM boxes WHERE dims.w = 2
UPDATE boxes SET labels = list_append(labels, 'z') WHERE id = 1
SELECT labels FROM boxes ORDER BY id
SELECT list(dims ORDER BY id) FROM boxes
SELECT count(DISTINCT labels), max(labels) FROM boxes
SELECT generate_subscripts([5, 6], 1), array_slice([1, 2, 3], 2, NULL)
SELECT list_aggregate([1, 2, 3], 'sum'), list_histogram([1, 1, 2]), array_extract([1, 2], 2), list_any_value([NULL, 3])
SELECT [1, 'a']
SELECT {'a': 1}.b
SELECT list_value(), list_value(1, NULL), 3 IN [1, 2, 3], [4, 5] && [5]
