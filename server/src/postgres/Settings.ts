import { ProtocolError, sqlState } from './ProtocolError.js'

/** Clients choose their catalog queries by this version. */
export const serverVersion = '15.0 (waymark)'

/** These settings are reported to every client when it connects, as Postgres does. */
const reported = new Set(
  (
    'server_version server_encoding client_encoding application_name is_superuser session_authorization ' +
    'DateStyle IntervalStyle TimeZone integer_datetimes standard_conforming_strings default_transaction_read_only'
  ).split(' '),
)

const fixed: Record<string, string> = {
  server_version: serverVersion,
  server_version_num: '150000',
  server_encoding: 'UTF8',
  integer_datetimes: 'on',
  is_superuser: 'off',
  in_hot_standby: 'off',
  max_identifier_length: '63',
  max_index_keys: '32',
  block_size: '8192',
  lc_collate: 'C',
  lc_ctype: 'C',
  max_connections: '100',
  shared_buffers: '128MB',
  ssl: 'off',
  transaction_deferrable: 'off',
  wal_level: 'replica',
  wal_segment_size: '16MB',
  transaction_read_only: 'on',
  /** The id of the client's last query, for `GET /query/{id}`. */
  waymark_query_id: '',
}

const usual: Record<string, string> = {
  application_name: '',
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  default_transaction_isolation: 'read committed',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  transaction_isolation: 'read committed',
  work_mem: '4MB',
  default_transaction_read_only: 'on',
  extra_float_digits: '1',
  lock_timeout: '0',
  search_path: 'main',
  standard_conforming_strings: 'on',
  statement_timeout: '0',
}

/** Others that PostgreSQL has, as it has them. Nothing here depends on them. */
const others: Record<string, string> = Object.fromEntries(
  (
    'array_nulls=on backslash_quote=safe_encoding client_min_messages=notice default_transaction_deferrable=off ' +
    'escape_string_warning=on jit=off lc_messages=C lc_monetary=C lc_numeric=C lc_time=C synchronous_commit=on ' +
    'xmloption=content row_security=on allow_system_table_mods=off archive_mode=off autovacuum=on autovacuum_analyze_scale_factor=0.1 ' +
    'autovacuum_analyze_threshold=50 autovacuum_freeze_max_age=200000000 autovacuum_max_workers=3 ' +
    'autovacuum_multixact_freeze_max_age=400000000 autovacuum_naptime=1min autovacuum_vacuum_cost_delay=2ms ' +
    'autovacuum_vacuum_cost_limit=-1 autovacuum_vacuum_insert_scale_factor=0.2 ' +
    'autovacuum_vacuum_insert_threshold=1000 autovacuum_vacuum_scale_factor=0.2 autovacuum_vacuum_threshold=50 ' +
    'autovacuum_work_mem=-1 backend_flush_after=0 bgwriter_delay=200ms check_function_bodies=on ' +
    'checkpoint_completion_target=0.9 checkpoint_flush_after=256kB checkpoint_timeout=5min checkpoint_warning=30s ' +
    'client_connection_check_interval=0 cluster_name= commit_siblings=5 constraint_exclusion=partition ' +
    'cpu_index_tuple_cost=0.005 cpu_operator_cost=0.0025 cpu_tuple_cost=0.01 cursor_tuple_fraction=0.1 ' +
    'data_checksums=off deadlock_timeout=1s debug_pretty_print=on debug_print_parse=off debug_print_plan=off ' +
    'debug_print_rewritten=off default_statistics_target=100 default_table_access_method=heap default_tablespace= ' +
    'default_text_search_config=pg_catalog.english default_toast_compression=pglz effective_cache_size=4GB ' +
    'effective_io_concurrency=1 enable_async_append=on enable_bitmapscan=on enable_gathermerge=on enable_hashagg=on ' +
    'enable_hashjoin=on enable_incremental_sort=on enable_indexonlyscan=on enable_indexscan=on enable_material=on ' +
    'enable_memoize=on enable_mergejoin=on enable_nestloop=on enable_parallel_append=on enable_parallel_hash=on ' +
    'enable_partition_pruning=on enable_partitionwise_aggregate=off enable_partitionwise_join=off enable_seqscan=on ' +
    'enable_sort=on enable_tidscan=on exit_on_error=off force_parallel_mode=off from_collapse_limit=8 fsync=off ' +
    'full_page_writes=on geqo=on geqo_effort=5 geqo_generations=0 geqo_pool_size=0 geqo_seed=0 geqo_selection_bias=2 ' +
    'geqo_threshold=12 gin_fuzzy_search_limit=0 gin_pending_list_limit=4MB hash_mem_multiplier=2 hot_standby=on ' +
    'hot_standby_feedback=off jit_above_cost=100000 jit_expressions=on jit_inline_above_cost=500000 ' +
    'jit_optimize_above_cost=500000 jit_tuple_deforming=on join_collapse_limit=8 lo_compat_privileges=off ' +
    'local_preload_libraries= log_destination=stderr log_duration=off log_error_verbosity=default log_lock_waits=off ' +
    'log_min_duration_sample=-1 log_min_duration_statement=-1 log_min_error_statement=error log_min_messages=warning ' +
    'log_parameter_max_length_on_error=0 log_statement=none log_statement_sample_rate=1 log_statement_stats=off ' +
    'logical_decoding_work_mem=64MB maintenance_io_concurrency=10 maintenance_work_mem=64MB ' +
    'max_files_per_process=1000 max_function_args=100 max_locks_per_transaction=64 max_parallel_maintenance_workers=2 ' +
    'max_parallel_workers=8 max_parallel_workers_per_gather=2 max_prepared_transactions=0 max_replication_slots=10 ' +
    'max_stack_depth=2MB max_wal_senders=10 max_wal_size=1GB max_worker_processes=8 ' +
    'min_parallel_index_scan_size=512kB min_parallel_table_scan_size=8MB parallel_leader_participation=on ' +
    'parallel_setup_cost=1000 parallel_tuple_cost=0.1 password_encryption=scram-sha-256 plan_cache_mode=auto ' +
    'quote_all_identifiers=off random_page_cost=4 recursive_worktable_factor=10 restrict_nonsystem_relation_kind= ' +
    'segment_size=1GB seq_page_cost=1 session_preload_libraries= session_replication_role=origin ' +
    'shared_preload_libraries= ssl_library=OpenSSL stats_fetch_consistency=cache superuser_reserved_connections=3 ' +
    'synchronize_seqscans=on synchronous_standby_names= tcp_keepalives_count=9 tcp_keepalives_idle=7200 ' +
    'tcp_keepalives_interval=75 tcp_user_timeout=0 temp_buffers=8MB temp_file_limit=-1 temp_tablespaces= ' +
    'timezone_abbreviations=Default trace_notify=off trace_sort=off track_activities=on track_activity_query_size=1kB ' +
    'track_commit_timestamp=off track_counts=on track_functions=none track_io_timing=off track_wal_io_timing=off ' +
    'transform_null_equals=off vacuum_cost_delay=0 vacuum_cost_limit=200 vacuum_cost_page_dirty=20 ' +
    'vacuum_cost_page_hit=1 vacuum_cost_page_miss=2 vacuum_failsafe_age=1600000000 vacuum_freeze_min_age=50000000 ' +
    'vacuum_freeze_table_age=150000000 vacuum_multixact_failsafe_age=1600000000 ' +
    'vacuum_multixact_freeze_min_age=5000000 vacuum_multixact_freeze_table_age=150000000 wal_buffers=4MB ' +
    'wal_compression=off wal_keep_size=0 wal_sender_timeout=1min wal_skip_threshold=2MB xmlbinary=base64'
  )
    .split(' ')
    .map((each) => each.split('=') as [string, string]),
)

const changeable = { ...others, ...usual }

const spelling = new Map(
  [...Object.keys(fixed), ...Object.keys(changeable)].map((name) => [name.toLowerCase(), name]),
)

/** These settings would change how values are written, and can be set only to what they are. */
const onlyAs: Record<string, RegExp> = {
  bytea_output: /^hex$/i,
  standard_conforming_strings: /^(on|true|yes|1)$/i,
  default_transaction_read_only: /^(on|true|yes|1)$/i,
}

const dateForms: Record<string, string> = { iso: 'ISO', sql: 'SQL', postgres: 'Postgres', german: 'German' }
const dateOrders: Record<string, string> = { mdy: 'MDY', us: 'MDY', noneuropean: 'MDY', dmy: 'DMY', euro: 'DMY', european: 'DMY', ymd: 'YMD' } // prettier-ignore

/** A form, an order of day and month, or both. The other one stays. */
const readDateStyle = (value: string, now: string): string | undefined => {
  let [form = '', order = ''] = now.split(', ')
  for (const word of value
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)) {
    if (Object.hasOwn(dateForms, word)) form = dateForms[word]!
    else if (Object.hasOwn(dateOrders, word)) order = dateOrders[word]!
    else return undefined
  }
  return `${form}, ${order}`
}

const intervalStyles = ['postgres', 'postgres_verbose', 'sql_standard', 'iso_8601']

/**
 * DuckDB has the zones of the same list, but no plain offsets. The name stays as it was written, but for its case: of two
 * names of a zone the list's own may be an old one, such as Asia/Calcutta.
 */
const readZone = (value: string): string | undefined => {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions()
    if (/^[+-]/.test(timeZone)) return undefined
    return timeZone.toLowerCase() === value.toLowerCase() ? timeZone : value
  } catch {
    return undefined
  }
}

/** Zones that have been so many minutes east of Greenwich since 1970: DuckDB has no plain offsets but whole hours. */
const halfHours: Record<number, string> = {
  [-570]: 'Pacific/Marquesas', 270: 'Asia/Kabul', 330: 'Asia/Kolkata', 390: 'Asia/Yangon', 570: 'Australia/Darwin',
} // prettier-ignore

/** The name of a zone by its offset; undefined where none has always had it. */
export const zoneOf = (minutesEast: number): string | undefined => {
  const hours = minutesEast / 60
  if (!Number.isInteger(hours)) return halfHours[minutesEast]
  if (hours < -12 || hours > 14) return undefined
  return hours === 0 ? 'UTC' : `Etc/GMT${hours < 0 ? '+' : '-'}${Math.abs(hours)}`
}

interface Units {
  /** The largest first, each in multiples of the same one. */
  sizes: readonly (readonly [unit: string, size: number])[]
  /** What a number without a unit counts. */
  base: string
}

const times = [['d', 86_400_000], ['h', 3_600_000], ['min', 60_000], ['s', 1000], ['ms', 1], ['us', 0.001]] as const // prettier-ignore
const memories = [['TB', 2 ** 30], ['GB', 2 ** 20], ['MB', 1024], ['kB', 1], ['B', 1 / 1024]] as const // prettier-ignore

const roundToEven = (value: number) => (value % 1 === 0.5 ? 2 * Math.round(value / 2) : Math.round(value))

/** An amount as PostgreSQL shows it: in the largest unit of which it is a whole number. */
const amount =
  ({ sizes, base }: Units) =>
  (value: string): string | undefined => {
    const [, count, unit] = /^(\d+(?:\.\d*)?)\s*([a-z]*)$/i.exec(value) ?? []
    const size = sizes.find(([name]) => name === (unit || base))?.[1]
    const whole = size === undefined ? Number.NaN : roundToEven(Number(count) * size)
    if (!(whole < 2 ** 31)) return undefined
    const shown = sizes.find(([, each]) => whole % each === 0)!
    return whole === 0 ? '0' : `${whole / shown[1]}${shown[0]}`
  }

const time = amount({ sizes: times, base: 'ms' })
const memory = amount({ sizes: memories, base: 'kB' })

const levels = ['read uncommitted', 'read committed', 'repeatable read', 'serializable']
const level = (value: string) => levels.find((each) => each === value.toLowerCase())

/** These change what is sent or shown; each reads a value, and gives undefined for one that is not taken. */
const readers: Record<string, (value: string, now: string) => string | undefined> = {
  // As long as Postgres keeps it.
  application_name: (value) => value.slice(0, 63),
  // As Postgres does: of the name of an encoding only letters and digits count.
  client_encoding: (value) => (/^(utf8|unicode)$/i.test(value.replaceAll(/[\W_]/g, '')) ? 'UTF8' : undefined),
  DateStyle: readDateStyle,
  default_transaction_isolation: level,
  transaction_isolation: level,
  statement_timeout: time,
  lock_timeout: time,
  idle_in_transaction_session_timeout: time,
  idle_session_timeout: time,
  work_mem: memory,
  maintenance_work_mem: memory,
  IntervalStyle: (value) => intervalStyles.find((each) => each === value.toLowerCase()),
  TimeZone: (value) => (/^local$/i.test(value) ? 'UTC' : readZone(value)),
}

/** Each of a client's statements may ask for all of them. */
const maxLength = 1024

/** Undefined for a value that cannot be set. */
const readValue = (name: string, value: string, now: string): string | undefined => {
  if (value.length > maxLength && name !== 'application_name') return undefined
  const only = onlyAs[name]
  if (only !== undefined) return only.test(value) ? now : undefined
  const read = readers[name]
  return read === undefined ? value : read(value, now)
}

/** A name with a dot is a setting of the client's own, as in PostgreSQL. */
const isOwn = (name: string): boolean => /^[a-z_][\w$]*(\.[a-z_][\w$]*)+$/i.test(name)
const mostOwn = 100
const mostSavepoints = 100

/** What a client sets when it connects: by names, and as flags of PostgreSQL's program in `options`. */
export const settingsAtStart = (parameters: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    name === 'options'
      ? [...value.matchAll(/(?:-c\s*|--)([\w.]+)=((?:\\.|[^\s\\])*)/g)].map(([, option, of]) => [
          option!,
          of!.replaceAll(/\\(.)/g, '$1'),
        ])
      : [[name, value]],
  )

/** The settings that Postgres has and DuckDB has not, for one client. */
export class Settings {
  #values = new Map(Object.entries({ ...changeable, ...fixed }))
  /** What `default` means: what the client said when it connected. */
  #defaults: ReadonlyMap<string, string> = new Map(Object.entries(changeable))
  /** What a transaction has set: the values from before it, and those that its COMMIT leaves. */
  #changed = new Map<string, { before: string; after: string }>()
  /** The settings of the moments to which a transaction may go back, the last one last. */
  #savepoints: {
    name: string
    values: Map<string, string>
    changed: Map<string, { before: string; after: string }>
  }[] = []

  /** Finds the name in its right case; undefined when there is no such setting. */
  static find(name: string): string | undefined {
    return spelling.get(name.toLowerCase())
  }

  static isReported(name: string): boolean {
    return reported.has(name)
  }

  get(name: string): string | undefined {
    const small = name.toLowerCase()
    return this.#values.get(spelling.get(small) ?? small)
  }

  all(): [string, string][] {
    return [...this.#values].toSorted(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  }

  /** The rows of `pg_settings`. */
  rows(): { name: string; setting: string; reset: string; context: string }[] {
    return this.all().map(([name, setting]) => {
      const context = name in fixed ? 'internal' : 'user'
      return { name, setting, reset: this.#defaults.get(name) ?? setting, context }
    })
  }

  reported(): [string, string][] {
    return [...this.#values].filter(([name]) => reported.has(name))
  }

  /**
   * Sets a value, or the default, until the transaction ends, and beyond a COMMIT when it is not local; most have no
   * effect here.
   * Returns the name when the change must be reported to the client.
   */
  set(given: string, value: string | undefined, isLocal = false): string | undefined {
    const name = Settings.find(given) ?? (isOwn(given) ? given.toLowerCase() : undefined)
    if (name === undefined) return undefined
    if (!this.#values.has(name) && this.#values.size - spelling.size >= mostOwn)
      throw new ProtocolError(
        sqlState.limitReached,
        `A connection has ${mostOwn} settings of its own at most.`,
      )
    if (name in fixed) throw new ProtocolError('55P02', `The setting ${name} cannot be changed.`)
    const now = this.get(name) ?? ''
    const taken = value === undefined ? (this.#defaults.get(name) ?? '') : readValue(name, value.trim(), now)
    if (taken === undefined) {
      throw new ProtocolError(
        sqlState.invalidParameter,
        `${name} cannot be ${value?.slice(0, 40)} here: it is ${now}.`,
      )
    }
    this.#values.set(name, taken)
    const { before, after } = this.#changed.get(name) ?? { before: now, after: now }
    this.#changed.set(name, { before, after: isLocal ? after : taken })
    return reported.has(name) ? name : undefined
  }

  /** This and the next two return the settings that have another value now. */
  savepoint(name: string): string[] {
    this.#savepoints.push({ name, values: new Map(this.#values), changed: new Map(this.#changed) })
    if (this.#savepoints.length > mostSavepoints) this.#savepoints.shift()
    return []
  }

  release(name: string): string[] {
    const at = this.#savepoints.findLastIndex((each) => each.name === name)
    if (at >= 0) this.#savepoints.length = at
    return []
  }

  /** Goes back to a savepoint, which stays. */
  rollbackTo(name: string): string[] {
    const found = this.#savepoints.findLast((each) => each.name === name)
    if (found === undefined) return []
    const { values, changed } = found
    const differing = [...this.#values].filter(([each, value]) => values.get(each) !== value)
    this.#values = values
    this.#changed = changed
    this.release(name)
    this.savepoint(name)
    return differing.map(([each]) => each)
  }

  /** Ends a transaction, or a statement outside of one. Returns the settings that have another value now. */
  end(isCommitted: boolean): string[] {
    const ended = [...this.#changed].filter(([name, { before, after }]) => {
      const value = isCommitted ? after : before
      const isOther = this.#values.get(name) !== value
      this.#values.set(name, value)
      return isOther
    })
    this.#changed.clear()
    this.#savepoints = []
    this.#values.set('transaction_isolation', this.get('default_transaction_isolation')!)
    return ended.map(([name]) => name)
  }

  noteQuery(id: string): void {
    this.#values.set('waymark_query_id', id)
  }

  /** From now on `default` means the values of this moment. */
  keep(): void {
    this.end(true)
    this.#defaults = new Map([...this.#values].filter(([name]) => !(name in fixed)))
  }

  /** The settings that are not at their default. */
  differing(): string[] {
    return [...this.#values]
      .filter(([name, value]) => !(name in fixed) && (this.#defaults.get(name) ?? '') !== value)
      .map(([name]) => name)
  }

  /** How long the client lets a statement run; undefined when it did not say. */
  get statementTimeoutMs(): number | undefined {
    const [, count, unit] = /^(\d+)(\w+)$/.exec(this.get('statement_timeout')!) ?? []
    const milliseconds = Number(count ?? 0) * (times.find(([name]) => name === unit)?.[1] ?? 0)
    return milliseconds > 0 ? milliseconds : undefined
  }
}
