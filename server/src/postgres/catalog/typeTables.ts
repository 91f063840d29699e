import { DuckDBTypeId } from '@duckdb/node-api'
import { quoteText } from '../../duckdb/quote.js'
import { postgresTypes, scalarTypes } from '../types.js'
import { oid, owner } from './names.js'
import { serverVersion } from '../Settings.js'

/** The tables of `pg_catalog` that tell of databases, roles and settings. */
export const server: Record<string, string> = {
  pg_database: `
SELECT ${oid('database_name')} AS oid, database_name AS datname, 10::BIGINT AS datdba, 6 AS encoding, 'C' AS datcollate, 'C' AS datctype,
  false AS datistemplate, true AS datallowconn, 1663::BIGINT AS dattablespace, NULL::VARCHAR[] AS datacl
FROM duckdb_databases() WHERE path IS NOT NULL`,
  pg_roles: `
SELECT '${owner}' AS rolname, false AS rolsuper, true AS rolinherit, false AS rolcreaterole, false AS rolcreatedb, true AS rolcanlogin, false AS rolreplication,
  -1 AS rolconnlimit, NULL::TIMESTAMPTZ AS rolvaliduntil, false AS rolbypassrls, 10::BIGINT AS oid`,
  pg_am: `SELECT * FROM (VALUES (2::BIGINT, 'heap'), (403, 'btree')) t(oid, amname)`,
  pg_tablespace: `SELECT 1663::BIGINT AS oid, 'pg_default' AS spcname, 10::BIGINT AS spcowner`,
  pg_settings: `
SELECT name, setting, 'default' AS source
FROM (VALUES ('server_version', '${serverVersion}'), ('server_version_num', '140000'), ('server_encoding', 'UTF8'), ('client_encoding', 'UTF8'),
  ('max_identifier_length', '63'), ('max_index_keys', '32'), ('standard_conforming_strings', 'on'), ('search_path', 'main'), ('TimeZone', 'UTC')) t(name, setting)`,
}

/** The columns of catalog tables that are always empty here: texts, and numbers (`:n`), truth values (`:b`), lists of numbers (`:l`) and of texts (`:t`). */
const columns: Record<string, string> = {
  pg_auth_members: 'roleid:n member:n',
  pg_collation: 'oid:n collname',
  pg_depend: 'classid:n objid:n objsubid:n refclassid:n refobjid:n refobjsubid:n deptype',
  pg_enum: 'oid:n enumtypid:n enumsortorder:n enumlabel',
  pg_extension: 'oid:n extname extnamespace:n extversion',
  pg_inherits: 'inhrelid:n inhparent:n inhseqno:n inhdetachpending:b',
  pg_language: 'oid:n lanname',
  pg_matviews: 'schemaname matviewname tablespace',
  pg_policy: 'oid:n polname polrelid:n polcmd polpermissive:b polroles:l polqual polwithcheck',
  pg_publication: 'oid:n pubname puballtables:b',
  pg_publication_rel: 'oid:n prpubid:n prrelid:n',
  pg_range: 'rngtypid:n rngsubtype:n rngmultitypid:n',
  pg_rewrite: 'oid:n rulename ev_class:n',
  pg_sequence: 'seqrelid:n seqstart seqincrement seqmax seqmin seqcache seqcycle',
  pg_shdescription: 'objoid:n classoid:n description',
  pg_stat_user_tables: 'schemaname relname n_live_tup:n',
  pg_stat_wal_receiver: 'pid:n',
  pg_statistic_ext: 'oid:n stxrelid:n stxname stxnamespace:n stxkind:t stxstattarget:n',
} // prettier-ignore

const values: Record<string, string> = {
  n: '0::BIGINT',
  b: 'false',
  l: '[]::BIGINT[]',
  t: '[]::VARCHAR[]',
  '': `''`,
}

/** Tables of Postgres's catalog for things that DuckDB does not have, each as the SELECT of a view. */
export const emptyTables: Record<string, string> = Object.fromEntries(
  Object.entries(columns).map(([table, names]) => {
    const each = names.split(' ').map((column) => {
      const [name, type = ''] = column.split(':')
      return `${values[type]} AS ${name}`
    })
    return [table, `SELECT ${each.join(', ')} WHERE false`]
  }),
)

const cases = [...scalarTypes].flatMap(([id, { oid: own, arrayOid }]) => {
  const name = DuckDBTypeId[id].replace(/_TZ$/, ' WITH TIME ZONE')
  return [`WHEN '${name}' THEN ${own}`, `WHEN '${name}[]' THEN ${arrayOid}`]
})

/** The number of Postgres's type for DuckDB's name of a type. */
export const typeOid = `
CASE t ${cases.join(' ')} WHEN 'JSON' THEN 114 WHEN 'JSON[]' THEN 199 WHEN 'VARCHAR[]' THEN 1009
  ELSE CASE WHEN t LIKE '%[]' OR t LIKE 'STRUCT(%' OR t LIKE 'MAP(%' OR t LIKE 'UNION(%' THEN 114 WHEN t LIKE 'DECIMAL(%' THEN 1700 ELSE 25 END END`

const sqlNames: Record<string, string> = {
  bool: 'boolean', int2: 'smallint', int4: 'integer', int8: 'bigint', float4: 'real', float8: 'double precision',
  timestamp: 'timestamp without time zone', timestamptz: 'timestamp with time zone', time: 'time without time zone',
  timetz: 'time with time zone', varchar: 'character varying', bpchar: 'character', char: '"char"',
} // prettier-ignore
const sqlName = (name: string) => sqlNames[name] ?? name

const digits = `CASE WHEN modifier > 4 THEN format('({},{})', (modifier - 4) >> 16, (modifier - 4) & 65535) ELSE '' END`

/** The name in SQL for the number of a type of Postgres. */
export const formatType = `
CASE id ${postgresTypes
  .flatMap(({ name, oid: id, arrayOid }) => [
    `WHEN ${id} THEN ${quoteText(sqlName(name))}${name === 'numeric' ? ` || ${digits}` : ''}`,
    `WHEN ${arrayOid} THEN ${quoteText(`${sqlName(name)}[]`)}`,
  ])
  .join(' ')} ELSE '???' END`

const categories: Record<string, string> = {
  bool: 'B', date: 'D', time: 'D', timetz: 'D', timestamp: 'D', timestamptz: 'D', interval: 'T', text: 'S',
  varchar: 'S', bpchar: 'S', name: 'S', char: 'S', int2: 'N', int4: 'N', int8: 'N', float4: 'N', float8: 'N',
  numeric: 'N', oid: 'N',
} // prettier-ignore

const rows = postgresTypes.flatMap(({ name, oid: id, size, arrayOid }) => [
  `(${id}, '${name}', ${size}, '${categories[name] ?? 'U'}', 0, ${arrayOid}, '${name}in', '${name}recv')`,
  `(${arrayOid}, '_${name}', -1, 'A', ${id}, 0, 'array_in', 'array_recv')`,
])
const receivers = [...postgresTypes.map(({ name }) => `'${name}recv'`), `'array_recv'`].join(', ')

/** The tables of `pg_catalog` that tell of types. */
export const typeTables: Record<string, string> = {
  pg_type: `
SELECT oid::BIGINT AS oid, typname, 11::BIGINT AS typnamespace, typlen::SMALLINT AS typlen, 'b' AS typtype, typcategory, ',' AS typdelim,
  0::BIGINT AS typrelid, typelem::BIGINT AS typelem, typarray::BIGINT AS typarray, typinput, ${oid('typreceive')} AS typreceive,
  false AS typnotnull, 0::BIGINT AS typbasetype, -1 AS typtypmod, 0::BIGINT AS typcollation, NULL::VARCHAR AS typdefault, 1247::BIGINT AS tableoid
FROM (VALUES ${rows.join(', ')}) t(oid, typname, typlen, typcategory, typelem, typarray, typinput, typreceive)`,
  // .NET's driver knows the arrays among the types by the function that reads them.
  pg_proc: `
SELECT ${oid('name')} AS oid, name AS proname, 11::BIGINT AS pronamespace, 0::BIGINT AS prolang, 0::BIGINT AS prorettype, 'f' AS prokind,
  NULL::VARCHAR AS proargdefaults, 1255::BIGINT AS tableoid
FROM (SELECT DISTINCT unnest([${receivers}]) AS name)`,
}
