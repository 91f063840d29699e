SELECT upper('straße'), lower('ÄÖÜ'), length('naïve'), strlen('naïve')
SELECT length('👩‍👩‍👧'), length_grapheme('👩‍👩‍👧')
SELECT substring('hello', 2, 3), substring('hello', -3), substr('hello', 0, 2), 'hello'[2:4], 'hello'[-1]
SELECT left('hello', 2), right('hello', 2), left('hello', -1), right('hello', -1)
SELECT position('l' IN 'hello'), strpos('hello', 'z'), instr('hello', 'lo')
SELECT trim('  a '), ltrim('xxa', 'x'), rtrim('axx', 'x'), trim(BOTH 'x' FROM 'xax')
SELECT lpad('7', 3, '0'), rpad('7', 3, '-'), lpad('abcdef', 3, ' ')
SELECT replace('banana', 'an', 'AN'), translate('hello', 'el', 'ip'), reverse('abc'), repeat('ab', 3)
SELECT concat('a', NULL, 1, true), concat_ws('-', 'a', NULL, 'b'), 'a' || NULL
SELECT split_part('a,b,c', ',', 2), split_part('a,b,c', ',', -1), split_part('a', ',', 5)
SELECT string_split('a b  c', ' '), regexp_split_to_array('a1b22c', '[0-9]+'), string_split('abc', '')
SELECT regexp_matches('hello', 'l+'), regexp_full_match('hello', 'l+'), regexp_extract('ab12', '([a-z]+)([0-9]+)', 2)
SELECT regexp_extract('2024-05-06', '(\d+)-(\d+)-(\d+)', ['y', 'm', 'd'])
SELECT regexp_extract_all('a1b22', '[0-9]+'), regexp_replace('aaa', 'a', 'b'), regexp_replace('aaa', 'a', 'b', 'g')
SELECT regexp_replace('john smith', '(\w+) (\w+)', '\2 \1'), regexp_escape('a.b')
SELECT 'abc' LIKE 'a%', 'abc' LIKE '_b_', 'a%c' LIKE 'a\%c' ESCAPE '\', 'ABC' ILIKE 'abc'
SELECT 'abc' SIMILAR TO 'a.c', 'abc' GLOB 'a*', 'abc' NOT LIKE 'b%'
SELECT starts_with('hello', 'he'), suffix('hello', 'lo'), contains('hello', 'ell'), prefix('a', 'ab')
SELECT ascii('A'), unicode('é'), chr(8364), ord('z')
SELECT md5('a'), sha256('a'), sha1('a')
SELECT hash('a') = hash('a'), hash(1) = hash(2)
SELECT base64('abc'::BLOB), from_base64('YWJj'), to_base64('abc'::BLOB), hex('abc'), unhex('616263'), bin(5)
SELECT format('{} is {:.2f}', 'x', 1.239), format('{:>5}|{:<5}|', 1, 2), printf('%05d %s', 42, 'a')
SELECT format('{:,}', 1234567), format('{:x} {:b}', 255, 5)
SELECT levenshtein('kitten', 'sitting'), damerau_levenshtein('ab', 'ba'), hamming('abc', 'abd'), jaccard('abc', 'bcd')
SELECT jaro_similarity('martha', 'marhta'), jaro_winkler_similarity('martha', 'marhta')
SELECT strip_accents('crème'), nfc_normalize('é') = 'é'
SELECT bar(3, 0, 10, 10), format_bytes(123456), formatReadableDecimalSize(123456)
SELECT url_encode('a b/ü'), url_decode('a%20b')
SELECT 'a' < 'B', 'a' < 'b', 'Z' < 'a', 'ä' > 'z'
SELECT 'a' COLLATE NOCASE = 'A'
SELECT x FROM (VALUES ('b'), ('A'), ('a'), ('B'), (NULL)) t(x) ORDER BY x
SELECT x FROM (VALUES ('b'), ('A'), ('c')) t(x) ORDER BY x COLLATE NOCASE
SELECT E'tab\there', 'it''s', $$dollar $ quoted$$, e'\u00e9'
SELECT '' = '', length(''), '' IS NULL, nullif('', '')
SELECT parse_filename('/a/b.csv'), parse_path('/a/b.csv'), parse_dirname('/a/b.csv')
SELECT array_to_string(['a', NULL, 'b'], '-'), list_aggregate(['a', 'b'], 'string_agg', '+')
SELECT string_split_regex('a,b;c', '[,;]'), str_split('a|b', '|')
SELECT to_hex(255), to_binary(5), lcase('A'), ucase('a')
SELECT 'abc' ^@ 'ab', overlay_missing('a')
SELECT substring('hello' FROM 2 FOR 2), char_length('abc'), octet_length('é'::BLOB), bit_length('é')
SELECT ' a' = 'a', 'a ' = 'a', 'a' || ' ' || 1
SELECT 'x' IN ('x', 'y'), 'z' NOT IN ('x', NULL), NULL IN ('x')
SELECT max(x) FROM (VALUES ('é'), ('z'), ('e')) t(x)
SELECT '\x41'::BLOB, 'é'::BLOB, encode('é'), decode('\xC3\xA9'::BLOB)
SELECT decode('\xFF'::BLOB)
SELECT concat('a'), concat(), repeat('a', 0), repeat('a', -1)
SELECT mismatches('a', 'b')
SELECT upper(NULL), length(NULL), substring(NULL, 1), replace('a', NULL, 'b')
SELECT lower(5)
