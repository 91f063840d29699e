import { ownCatalog, quoteText } from '../../duckdb/quote.js'
import { isSymbol, type SqlToken, tokenize } from '../../sql/text/tokenize.js'
import { functions, namesOfObjects, type Macros, typedFunctions, valueFunctions } from './functions.js'
import { pg, oid, schemaOf } from './names.js'
import { catalogFunctions, constants, live, readersOf, relationsOf, type Rows, shownIn } from './relations.js'
import { columnList, columnsOfTable, shapes } from './shapes.js'
import { informationSchema, pgCatalog } from './facts.js'
import { catalogTypes, typeOid } from './typeTables.js'

/** Which databases and schemas are shown: what is in memory is the service's own, or DuckDB's. */
const isShown = (databases: readonly string[]) =>
  `database_name IN (${databases.map(quoteText).join(', ')}) AND schema_name NOT IN ('information_schema', 'pg_catalog', 'waymark_internal') AND NOT (database_name = 'analytics' AND schema_name = 'raw')`

/** The query of a view, without the words that make it. */
const definition = `regexp_replace(sql, '^CREATE .*? AS (SELECT|WITH|FROM|VALUES|TABLE|PIVOT|UNPIVOT|\\()', '\\1', 'si')`
const relationOid = oid('database_name', 'schema_name', 'table_name')
const namespaceOid = oid('database_name', 'schema_name')
const keyName = `table_name || '_' || CASE WHEN constraint_type = 'PRIMARY KEY' THEN '' ELSE array_to_string(constraint_column_names, '_') || '_' END
    || CASE constraint_type WHEN 'PRIMARY KEY' THEN 'pkey' WHEN 'UNIQUE' THEN 'key' WHEN 'FOREIGN KEY' THEN 'fkey' ELSE 'check' END`

/**
 * Tells one schema of the databases from another. DuckDB's own numbers of relations do not: they outlive an ALTER. Of
 * the rows counts by which power of two there are, because tools ask how large tables are.
 */
export const fingerprint = (databases: readonly string[]): string => {
  const parts = {
    schemas: 'database_name, schema_name',
    tables: 'database_name, sql, comment, length(bin(estimated_size))',
    views: 'database_name, sql, comment',
    columns: 'database_name, schema_name, table_name, column_name, data_type, comment',
  }
  const sums = Object.entries(parts).map(
    ([of, names]) => `(SELECT sum(hash(${names})) FROM duckdb_${of}() WHERE ${isShown(databases)})`,
  )
  return `SELECT concat_ws(' ', ${sums.join(', ')})`
}

/**
 * What is known of schemas, relations, columns and keys, from which all relations of `pg_catalog` are filled. They are
 * filled without joins, which take most of the time: numbers are hashes of names.
 */
export const fillStored = (databases: readonly string[]): string[] => {
  const isVisible = isShown(databases)
  const stored: Record<string, string> = {
    namespaces: `SELECT database_name, schema_name, ${namespaceOid} AS oid FROM duckdb_schemas() WHERE ${isVisible}`,
    relations: `
SELECT database_name, schema_name, ${relationOid} AS oid, table_name AS relname, ${namespaceOid} AS relnamespace, 'r' AS relkind, estimated_size::FLOAT AS reltuples, column_count::SMALLINT AS relnatts,
  has_primary_key AS relhasindex, check_constraint_count::SMALLINT AS relchecks, comment, NULL AS sql
FROM duckdb_tables() WHERE NOT internal AND ${isVisible}
UNION ALL SELECT database_name, schema_name, ${relationOid}, table_name, ${namespaceOid}, 'v', 0, column_count::SMALLINT, false, 0, comment, ${definition}
FROM (SELECT *, view_name AS table_name FROM duckdb_views()) WHERE NOT internal AND ${isVisible}`,
    keys: `
SELECT *, ${oid('relid', 'name')} AS indexid, ${oid('relid', 'name', "'constraint'")} AS oid, NULL::SMALLINT[] AS confkeys
FROM (SELECT database_name, schema_name, ${relationOid} AS relid, table_name AS relname, ${namespaceOid} AS relnamespace, ${keyName} AS name,
    constraint_text, constraint_column_names AS names, list_transform(constraint_column_indexes, lambda x: (x + 1)::SMALLINT) AS keys,
    CASE constraint_type WHEN 'PRIMARY KEY' THEN 'p' WHEN 'UNIQUE' THEN 'u' WHEN 'FOREIGN KEY' THEN 'f' ELSE 'c' END AS contype,
    CASE WHEN referenced_table IS NOT NULL THEN ${oid('database_name', 'schema_name', 'referenced_table')} END AS confrelid, referenced_table AS confrelname, referenced_column_names AS confnames
  FROM duckdb_constraints() WHERE constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY', 'CHECK') AND ${isVisible})`,
    columns: `
SELECT database_name, schema_name, table_name AS relname, ${relationOid} AS attrelid, column_name AS attname, column_index::SMALLINT AS attnum, ${typeOid('data_type')} AS atttypid,
  CASE WHEN data_type LIKE 'DECIMAL(%' THEN (numeric_precision << 16) + numeric_scale + 4 ELSE -1 END::INTEGER AS atttypmod,
  NOT is_nullable AS attnotnull, column_default, comment
FROM duckdb_columns() WHERE NOT internal AND ${isVisible}`,
  }
  return Object.entries(stored).map(([name, sql]) => `CREATE OR REPLACE TABLE ${pg}.${name} AS ${sql}`)
}

export const countReferences = `SELECT count(*) FROM ${pg}.keys WHERE contype = 'f'`
/** Few have foreign keys. */
export const fillReferences = `
UPDATE ${pg}.keys SET confkeys = list_transform(confnames, lambda x: list_position(a.names, x)::SMALLINT)
FROM (SELECT attrelid, list(attname ORDER BY attnum) AS names FROM ${pg}.columns GROUP BY ALL) a WHERE a.attrelid = confrelid`

const lines = (schema: string, facts: string) =>
  `SELECT '${schema}' AS schema_name, unnest(string_split(${quoteText(facts.trim())}, chr(10))) AS line`

const facts = `${lines('pg_catalog', pgCatalog)} UNION ALL ${lines('information_schema', informationSchema)}`

const typeCases = [...catalogTypes.map(({ name, oid: id }) => `WHEN '${name}' THEN ${id}`), ...catalogTypes.map(({ name, arrayOid }) => `WHEN '_${name}' THEN ${arrayOid}`)].join(' ') // prettier-ignore

/** What PostgreSQL's own relations say of themselves; DuckDB reads the facts faster than their rows. */
export const systemTables: readonly string[] = [
  `CREATE TABLE ${pg}.system_columns AS
SELECT NULL::VARCHAR AS database_name, schema_name, relname, attname, nth::SMALLINT AS attnum, CASE type WHEN 'yes_or_no' THEN 1043 ${typeCases} ELSE 25 END AS atttypid,
  CASE type WHEN 'yes_or_no' THEN 7 ELSE -1 END AS atttypmod, attnotnull
FROM (SELECT schema_name, relname, nth, regexp_extract(word, '^\\w+') AS attname, coalesce(nullif(regexp_extract(word, ':(\\w+)', 1), ''), 'name') AS type, suffix(word, '!') AS attnotnull
  FROM (SELECT schema_name, words[1] AS relname, unnest(words[2:]) AS word, generate_subscripts(words[2:], 1) AS nth
    FROM (SELECT schema_name, list_filter(string_split(line, ' '), lambda word: NOT regexp_full_match(word, '\\d+')) AS words
      FROM (${facts}))))`,
  `CREATE TABLE ${pg}.system_relations AS
SELECT NULL::VARCHAR AS database_name, schema_name, coalesce(try_cast(regexp_extract(line, '^\\w+ (\\d+) ', 1) AS BIGINT), 12000 + row_number() OVER (ORDER BY schema_name, relname)) AS oid,
  relname, CASE schema_name WHEN 'pg_catalog' THEN 11 ELSE 13000 END AS relnamespace, CASE WHEN regexp_matches(line, '^\\w+ \\d+ ') THEN 'r' ELSE 'v' END AS relkind, 0 AS reltuples, relnatts, false AS relhasindex, 0 AS relchecks, NULL AS comment, NULL AS sql
FROM (SELECT *, regexp_extract(line, '^\\w+') AS relname FROM (${facts}))
  JOIN (SELECT schema_name, relname, count(*)::SMALLINT AS relnatts FROM ${pg}.system_columns GROUP BY ALL) USING (schema_name, relname)`,
  `CREATE OR REPLACE TABLE ${pg}.system_columns AS
SELECT c.database_name, schema_name, relname, r.oid AS attrelid, attname, attnum, atttypid, atttypmod, attnotnull, NULL AS column_default, NULL AS comment FROM ${pg}.system_columns c JOIN ${pg}.system_relations r USING (schema_name, relname)`,
]

const macros: Macros = {
  ...catalogFunctions,
  ...namesOfObjects,
  ...functions,
  ...valueFunctions,
  ...typedFunctions,
}

/** The name of the macro whose call has its bracket at a token. */
const calledAt = (tokens: readonly SqlToken[], at: number): string => {
  const isOwn =
    isSymbol(tokens[at], '(') &&
    isSymbol(tokens[at - 2], '.') &&
    /^(own$|pg)/.test(tokens[at - 3]?.text ?? '')
  return isOwn ? (tokens[at - 1]?.text ?? '') : ''
}

const all: Macros = { ...macros, ...readersOf('own') }

/** How often each macro makes DuckDB read what it is given; what it calls itself counts with its own readings. */
const readings = new Map<string, number>()
const countReadings = (name: string): number => {
  const known = readings.get(name)
  if (known !== undefined || !Object.hasOwn(all, name)) return known ?? 1
  readings.set(name, 1)
  const counts = all[name]!.flatMap(([parameters, sql]) => {
    const { tokens } = tokenize(sql)
    return parameters.split(', ').map((parameter) => {
      const [word, type] = parameter.split(' ')
      const named = tokens.flatMap((token) => {
        if (token.text !== word) return []
        let count = 1
        for (let at = token.around; at >= 0; at = tokens[at]!.around)
          count *= countReadings(calledAt(tokens, at))
        return [count]
      })
      // To choose among types they are read once more.
      return named.reduce((sum, count) => sum + count, type === undefined && !name.endsWith('_of') ? 0 : 1)
    })
  })
  const count = Math.max(1, ...counts)
  readings.set(name, count)
  return count
}

/** How often DuckDB reads what stands within the bracket at a token. */
export const readingsOf = (tokens: readonly SqlToken[], at: number): number => {
  const name = calledAt(tokens, at)
  return name === '' ? 1 : countReadings(name)
}

const select = (name: string, { from, values }: Rows): string =>
  `SELECT ${columnList(shapes.get(name)!, values)} FROM ${from}`

const createMacros = (schema: string, of: Macros) =>
  Object.entries(of).map(([name, forms]) => {
    // Within a view of the catalog its own macros would be found first, so one would call itself.
    const own = new RegExp(`(?<![.\\w])${name}\\(`, 'g')
    const written = forms.map(
      ([parameters, sql]) => `(${parameters}) AS ${sql.replaceAll(own, `system.main.${name}(`)}`,
    )
    return `CREATE OR REPLACE MACRO ${schema}.${name}${written.join(', ')}`
  })

/** DuckDB reads the SQL of a macro when it is made, without types, and then cannot choose among overloads by type. */
const withoutTypes = Object.fromEntries(
  Object.entries(typedFunctions).map(([name, [form]]): [string, Macros[string]] => [
    name,
    [[form![0].replaceAll(/ [A-Z]+[[\]]*/g, ''), 'NULL']],
  ]),
)

const createLive = Object.entries(live).map(([name, { fields, values }]) => {
  const rows = `SELECT unnest(from_json(rows, '[${JSON.stringify(fields)}]'), recursive := true)`
  return `CREATE MACRO ${pg}.${name}(rows) AS TABLE ${select(name, { from: `(${rows})`, values })}`
})

const placeOf = (database: string) => ({ database: quoteText(database), own: schemaOf(database) })

/** The relations that are filled for each database, when somebody asks for them. */
const filledNames: readonly string[] = ['names', ...Object.keys(relationsOf(placeOf('')))]

/** Which of them each macro of a database's reads: `names`, whose filling brings what is stored up to date, at least. */
const readers: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(readersOf('own')).map(([name, forms]) => {
    const sql = forms.map(([, written]) => written.replace('own.to_regclass', 'own.names')).join(' ')
    const isRead = (relation: string) => new RegExp(`own\\.${relation}\\b`).test(sql)
    const read = filledNames.filter(isRead)
    return [name, read.length > 0 ? read : ['names']]
  }),
)

/** Whether a relation or macro differs from database to database. */
export const isOfPlace = (name: string): boolean => filledNames.includes(name) || readers.has(name)

/** What a rewritten statement calls, and no client knows: `match_1`, `quotient`, `find_regclass`. */
const isInternal = (name: string) =>
  /^(match(es)?_\d|date_trunc_in|number_text|(not_)?i?like_(any|all)|quotient|remainder|divisor|text|piece|shown|minus|without|joined|joined_text|find_regclass|to_time|moment|ends_at|overlaps|set_config|late_\w+)$|_(name|of|items)$/.test(
    name,
  )

/** What a client may call. */
export const catalogMacros: ReadonlySet<string> = new Set(
  [...Object.keys(macros), ...readers.keys()].filter((name) => !isInternal(name)),
)

const named = new RegExp(`${ownCatalog}\\.(pg|"pg_(?:[^"]|"")*")\\.(\\w+)`, 'g')

/** The relations that must be filled before a rewritten statement runs; undefined where it needs nothing of the catalog. */
export const relationsIn = (texts: readonly string[]): ReadonlySet<string> | undefined => {
  const found = texts.flatMap((text) => [...text.matchAll(named)])
  if (found.length === 0) return undefined
  return new Set(
    found.flatMap(([, schema, name = '']) => (schema === 'pg' ? [] : (readers.get(name) ?? [name]))),
  )
}

const empty = [...shapes].filter(
  ([name]) => !filledNames.includes(name) && !(name in constants) && !(name in live),
)

/** Makes what stays as it is, when the first client asks for it. */
export const createConstants: string = [
  `ATTACH IF NOT EXISTS ':memory:' AS ${ownCatalog}`,
  // An attempt before may have failed half-way.
  `DROP SCHEMA IF EXISTS ${pg} CASCADE`,
  `CREATE SCHEMA ${pg}`,
  ...Object.entries(constants).map(([name, rows]) => `CREATE TABLE ${pg}.${name} AS ${select(name, rows)}`),
  ...empty.map(([name, shape]) => `CREATE TABLE ${pg}.${name} (${columnsOfTable(shape)})`),
  ...createLive,
  ...systemTables,
  ...createMacros(pg, withoutTypes),
  ...createMacros(pg, macros),
].join(';\n')

/** Makes what a database's clients ask, once the stored tables are there. */
export const createPlace = (database: string): string => {
  const place = placeOf(database)
  const { own } = place
  return [
    `CREATE SCHEMA ${own}`,
    ...Object.entries(shownIn(place)).map(([name, sql]) => `CREATE VIEW ${own}.${name} AS ${sql}`),
    ...filledNames.map((name) => {
      const shape = shapes.get(name)
      const columns =
        shape === undefined ? 'oid BIGINT, relname VARCHAR, nspname VARCHAR' : columnsOfTable(shape)
      return `CREATE TABLE ${own}.${name} (${columns})`
    }),
    ...createMacros(own, readersOf(own)),
  ].join(';\n')
}

/** Fills some of a database's relations anew. */
export const fillPlace = (database: string, names: readonly string[]): string => {
  const place = placeOf(database)
  const relations = relationsOf(place)
  return names
    .map((name) => {
      const rows = relations[name]?.map((each) => select(name, each)).join(' UNION ALL ')
      return `CREATE OR REPLACE TABLE ${place.own}.${name} AS ${rows ?? `FROM ${place.own}.shown_names`}`
    })
    .join(';\n')
}
