import { serverVersion } from '../Settings.js'
import { oid, owner } from './names.js'

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
