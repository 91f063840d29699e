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
