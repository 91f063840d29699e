export const helpText = `waymark-server: product analytics and lakehouse over HTTP, on an embedded DuckDB file.

  --port N               port, 0 for any free one          WAYMARK_PORT          8787
  --host ADDRESS         address to listen on              WAYMARK_HOST          127.0.0.1
  --data FOLDER          where everything is kept          WAYMARK_DATA          ./waymark-data
  --api-keys A,B         keys of /track /identify /alias   WAYMARK_API_KEYS      none
  --environments A,B     environment slugs that exist      WAYMARK_ENVIRONMENTS  production
  --users NAME:PASSWORD  users of the lakehouse, by commas WAYMARK_USERS         none
  --catalogs A,B         catalogs that SQL may write to    WAYMARK_CATALOGS      lakehouse
  --memory-limit SIZE    what DuckDB may hold in memory    WAYMARK_MEMORY_LIMIT  half, at most 4 GiB
  --statement-timeout N  seconds a statement may run       WAYMARK_STATEMENT_TIMEOUT  600
  --max-backlog N        rows accepted before stored       WAYMARK_MAX_BACKLOG   2000000
  --log-level LEVEL      debug info warn error silent      WAYMARK_LOG_LEVEL     info
  --quiet                the same as --log-level silent
  --help                 this text
`
