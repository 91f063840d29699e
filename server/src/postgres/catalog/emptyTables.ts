/** The columns of catalog tables that are always empty here. */
const columns: Record<string, string> = {
  pg_trigger: 'oid tgrelid tgname tgfoid tgtype tgenabled tgisinternal tgconstraint tgparentid tgdeferrable tginitdeferred tgconstrrelid tgconstrindid',
  pg_rewrite: 'oid rulename ev_class ev_type ev_enabled is_instead',
  pg_policy: 'oid polname polrelid polcmd polpermissive polroles polqual polwithcheck',
  pg_statistic_ext: 'oid stxrelid stxname stxnamespace stxowner stxkeys stxkind stxstattarget',
  pg_publication: 'oid pubname pubowner puballtables pubinsert pubupdate pubdelete pubtruncate pubviaroot',
  pg_publication_rel: 'oid prpubid prrelid',
  pg_publication_tables: 'pubname schemaname tablename',
  pg_inherits: 'inhrelid inhparent inhseqno inhdetachpending',
  pg_partitioned_table: 'partrelid partstrat partnatts partattrs partdefid',
  pg_foreign_table: 'ftrelid ftserver ftoptions',
  pg_foreign_server: 'oid srvname srvowner srvfdw srvtype srvversion srvacl srvoptions',
  pg_foreign_data_wrapper: 'oid fdwname fdwowner fdwhandler fdwvalidator fdwacl fdwoptions',
  pg_extension: 'oid extname extowner extnamespace extrelocatable extversion extconfig extcondition',
  pg_enum: 'oid enumtypid enumsortorder enumlabel',
  pg_range: 'rngtypid rngsubtype rngmultitypid rngcollation rngsubopc',
  pg_depend: 'classid objid objsubid refclassid refobjid refobjsubid deptype',
  pg_shdepend: 'dbid classid objid objsubid refclassid refobjid deptype',
  pg_shdescription: 'objoid classoid description',
  pg_auth_members: 'roleid member grantor admin_option',
  pg_collation: 'oid collname collnamespace collowner collprovider collencoding collcollate collctype',
  pg_cast: 'oid castsource casttarget castfunc castcontext castmethod',
  pg_operator: 'oid oprname oprnamespace oprleft oprright oprresult',
  pg_aggregate: 'aggfnoid aggkind aggnumdirectargs',
  pg_opclass: 'oid opcname opcmethod opcnamespace opcdefault',
  pg_event_trigger: 'oid evtname evtevent evtowner evtfoid evtenabled evttags',
  pg_default_acl: 'oid defaclrole defaclnamespace defaclobjtype defaclacl',
  pg_db_role_setting: 'setdatabase setrole setconfig',
  pg_matviews: 'schemaname matviewname matviewowner tablespace hasindexes ispopulated definition',
  pg_sequence: 'seqrelid seqtypid seqstart seqincrement seqmax seqmin seqcache seqcycle',
  pg_sequences: 'schemaname sequencename sequenceowner data_type start_value',
  pg_stat_wal_receiver: 'pid status',
  pg_cursors: 'name statement is_holdable is_binary is_scrollable creation_time',
  pg_locks: 'locktype database relation pid mode granted',
  pg_stat_activity: 'datid datname pid usename application_name client_addr state query backend_start query_start',
  pg_stat_user_tables: 'relid schemaname relname seq_scan n_live_tup',
  pg_stat_all_tables: 'relid schemaname relname seq_scan n_live_tup',
  pg_prepared_statements: 'name statement prepare_time parameter_types from_sql',
  pg_language: 'oid lanname lanowner lanispl lanpltrusted',
  pg_user_mappings: 'umid srvid srvname umuser usename umoptions',
  pg_largeobject_metadata: 'oid lomowner lomacl',
} // prettier-ignore

/** The type of a column is guessed from its name, so that joins and comparisons have types. */
const emptyColumn = (name: string) => {
  if (/^(oid|objid|objoid|refobjid)$|oid$|id$|owner$|namespace$|relation$|ev_class$|member$|grantor$|^rngsubtype$/.test(name)) return `0::BIGINT AS ${name}`
  if (/^(is_|puball|pub(insert|update|delete|truncate|via)|tgis|tgdef|tginit|polpermissive|proret?set|proisagg|inhdetach|granted|opcdefault)/.test(name)) return `false AS ${name}`
  if (/(keys|argtypes|roles)$/.test(name)) return `[]::BIGINT[] AS ${name}`
  if (/(types|kind|attrs|options|config|acl|tags|names|modes|argtypes)$/.test(name) && name !== 'prokind' && name !== 'aggkind') return `[]::VARCHAR[] AS ${name}`
  if (/(seqno|sortorder|subid|tgtype|target|encoding|natts)$/.test(name)) return `0 AS ${name}`
  return `''::VARCHAR AS ${name}`
} // prettier-ignore

/** Tables of Postgres's catalog for things that DuckDB does not have, each as the SELECT of a view. */
export const emptyTables: Record<string, string> = Object.fromEntries(
  Object.entries(columns).map(([name, of]) => [
    name,
    `SELECT ${of.split(' ').map(emptyColumn).join(', ')} WHERE false`,
  ]),
)
