SELECT '{"a": 1, "b": [true, null, "x"]}'::JSON, '[]'::JSON, 'null'::JSON, '"s"'::JSON, '1.50'::JSON
SELECT json_extract('{"a": {"b": 2}}', '$.a.b'), '{"a": {"b": 2}}'::JSON -> 'a', '{"a": "x"}'::JSON ->> 'a', '{"a": [10, 20]}'::JSON -> '$.a[1]', '[1, 2]'::JSON -> 0
SELECT json_extract('{"a": 1, "b": 2}', ['$.a', '$.b', '$.c']), json_extract_string('{"a": [1, 2]}', '$.a[#-1]'), json_extract('{"a": [{"x": 1}, {"x": 2}]}', '$.a[*].x')
SELECT json_type('{"a": 1}'), json_type('[1]'), json_type('1'), json_type('-1'), json_type('1.5'), json_type('"a"'), json_type('null'), json_type('true')
SELECT json_array_length('[1, 2, 3]'), json_array_length('{"a": [1]}', '$.a'), json_keys('{"b": 1, "a": 2}'), json_valid('{'), json_valid('{"a": 1}')
SELECT json_structure('{"a": 1, "b": [1.5, "x"], "c": null}'), json_contains('{"a": [1, 2]}', '2'), json_exists('{"a": null}', '$.a'), json_exists('{}', '$.a')
SELECT to_json({'a': 1, 'b': [DATE '2024-01-01']}), to_json([1, NULL]), to_json('x"y'), to_json(1.10), to_json(NULL), json_array(1, 'a', NULL), json_object('k', 1, 'l', [2])
SELECT json_merge_patch('{"a": 1, "b": 2}', '{"b": null, "c": 3}'), array_to_json([1, 2]), row_to_json({'a': 1})
SELECT from_json('{"a": 1, "b": "x"}', '{"a": "INTEGER", "b": "VARCHAR"}'), from_json('[1, 2]', '["INTEGER"]'), json_transform('{"a": "z"}', '{"a": "VARCHAR", "c": "DOUBLE"}')
SELECT json_transform_strict('{"a": "z"}', '{"a": "INTEGER"}')
SELECT '{"a": 1}'::JSON::STRUCT(a INTEGER), '[1, 2]'::JSON::INTEGER[], '5'::JSON::INTEGER, '"x"'::JSON::VARCHAR, 'true'::JSON::BOOLEAN
SELECT '{"a": 9007199254740993, "b": 1e400, "c": 0.1}'::JSON
SELECT '{"a": 123456789012345678901234567890}'::JSON -> 'a'
SELECT '{"a": 1, "a": 2}'::JSON, json_extract('{"a": 1, "a": 2}', '$.a')
SELECT '{"é": "\u00e9", "t": "\t\n\"\\"}'::JSON, '{"é": "\u00e9"}'::JSON ->> 'é'
SELECT json_extract_string('{"a\"b": 1, "c.d": 2, "": 3}', '$."c.d"'), json_extract('{"x y": 4}', '/x y'), json_value('{"a": [1]}', '$.a'), json_value('{"a": 5}', '$.a')
SELECT 'nonsense'::JSON
SELECT '{"a": }'::JSON
SELECT try_cast('{' AS JSON), '{' IS NULL
SELECT json_group_array(x), json_group_object(k, x) FROM (VALUES ('a', 1), ('b', NULL)) t(k, x)
SELECT json_group_structure(x) FROM (VALUES ('{"a": 1}'::JSON), ('{"b": "x"}'::JSON)) t(x)
SELECT * FROM json_each('{"a": 1, "b": [2]}')
SELECT key, value, type, atom, fullkey, path FROM json_tree('{"a": {"b": [1, "x"]}}')
SELECT key, value FROM json_each('[10, 20]')
CREATE TABLE docs (id INTEGER, d JSON)
INSERT INTO docs VALUES (1, '{"name": "Ann", "age": 30, "tags": ["a", "b"]}'), (2, '{"name": "Bob", "age": null}'), (3, NULL), (4, '{"name": "Ünal", "address": {"city": "Köln"}}')
SELECT id, d ->> 'name', (d ->> 'age')::INTEGER, d -> 'address' ->> 'city' FROM docs ORDER BY id
SELECT id FROM docs WHERE (d ->> 'age')::INTEGER > 20
SELECT id, json_array_length(d, '$.tags') FROM docs ORDER BY id
SELECT id, unnest(from_json(d -> 'tags', '["VARCHAR"]')) FROM docs ORDER BY ALL
SELECT json_keys(d) FROM docs ORDER BY id
SELECT count(*) FROM docs WHERE d IS NULL OR d ->> 'age' IS NULL
INSERT INTO docs VALUES (5, '{broken')
UPDATE docs SET d = json_merge_patch(d, '{"age": 31}') WHERE id = 1
SELECT d FROM docs WHERE id = 1
SELECT typeof('{"a": 1}'::JSON -> 'a'), typeof('{"a": 1}'::JSON ->> 'a')
SELECT json('{ "a" : [ 1 , 2 ] }'), json_pretty('{"a":1}'), json_quote('a')
SELECT json_serialize_sql('SELECT 1') IS NOT NULL
SELECT '{"a": 1}'::JSON = '{"a":1}'::JSON, '1'::JSON = 1
SELECT '{"a": null}'::JSON ->> 'a' IS NULL, ('{"a": null}'::JSON -> 'a')::VARCHAR, '{}'::JSON -> 'a' IS NULL
