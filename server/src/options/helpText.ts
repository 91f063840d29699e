/** What `--help` prints. */
export const helpText = `waymark-server: product analytics and lakehouse over HTTP, on an embedded DuckDB file.

  waymark-server hash-password   reads a password, prints its hash for a file of users
  waymark-server backup FILE     copies the store of a running service; each of these has a --help
  waymark-server restore FILE    makes a data folder of such a copy
  waymark-server check           says whether a data folder is whole
  waymark-server export          writes events and persons as Parquet files

  waymark-server, with these flags or variables, starts the service:

  --port N               port, 0 for any free one          WAYMARK_PORT          8787
  --postgres-port N      port for the Postgres protocol    WAYMARK_POSTGRES_PORT  none
  --postgres-tls-cert F  its certificate, and key (PEM)    WAYMARK_POSTGRES_TLS_CERT  none
  --postgres-tls-key F                                     WAYMARK_POSTGRES_TLS_KEY   none
  --host ADDRESS         address to listen on              WAYMARK_HOST          127.0.0.1
  --base-path PATH       what a proxy leaves on the path   WAYMARK_BASE_PATH     none
  --id-cookie            keep the ids in a cookie of ours  WAYMARK_ID_COOKIE     not true
  --files FOLDER         the library's files for pages     WAYMARK_FILES         its own
  --data FOLDER          where everything is kept          WAYMARK_DATA          ./waymark-data
  --log URL              accepted events go to PostgreSQL  WAYMARK_LOG           files in that folder
  --log-durability WHAT  quorum, or local: one server      WAYMARK_LOG_DURABILITY  quorum
  --log-readers-kept N   days it waits for a query process WAYMARK_LOG_READERS_KEPT  7
  --api-keys A,B:staging keys that write events, to all    WAYMARK_API_KEYS      none
                         environments or to the one named
  --environments A,B     environment slugs that exist      WAYMARK_ENVIRONMENTS  production
  --users NAME:PASSWORD  users of the lakehouse, by commas WAYMARK_USERS         none
  --users-file FILE      more users, with roles and hashes WAYMARK_USERS_FILE    none
  --metrics-token TOKEN  reads /metrics without a user     WAYMARK_METRICS_TOKEN none
  --origins A,B          pages that may use the lakehouse  WAYMARK_ORIGINS       none
  --catalogs A,B         catalogs that SQL may write to    WAYMARK_CATALOGS      lakehouse
  --memory-limit SIZE    what DuckDB may hold in memory    WAYMARK_MEMORY_LIMIT  half, at most 4 GiB
  --engine-memory SIZE   what the engine may hold in all   WAYMARK_ENGINE_MEMORY 1.5 times that, and 512 MiB
  --threads N            threads that a query runs on     WAYMARK_THREADS       processors, 256 MiB each
  --statement-timeout N  seconds a statement may run       WAYMARK_STATEMENT_TIMEOUT  600
  --max-backlog N        rows accepted before stored       WAYMARK_MAX_BACKLOG   2000000
  --insert-id-window N   days an insert_id is remembered   WAYMARK_INSERT_ID_WINDOW  15
  --retention ENV=400d   days events are kept, by commas   WAYMARK_RETENTION     for ever
  --retention-archive F  folder they go to before that     WAYMARK_RETENTION_ARCHIVE  none
  --archive FOLDER       where events of closed days go    WAYMARK_ARCHIVE       none
  --archive-after 30d    how old such a day is             WAYMARK_ARCHIVE_AFTER  30d
  --max-connections N    connections at once               WAYMARK_MAX_CONNECTIONS  10000
  --max-connections-per-address N                          WAYMARK_MAX_CONNECTIONS_PER_ADDRESS  1000
  --columns FORM         objects or labels, line 2 of /query  WAYMARK_COLUMNS    objects
  --role ROLE            both, ingest or engine            WAYMARK_ROLE          both
  --log-level LEVEL      debug info warn error silent      WAYMARK_LOG_LEVEL     info
  --quiet                the same as --log-level silent
  --help                 this text
`
