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
  transaction_isolation: 'read committed',
  transaction_read_only: 'on',
  /** The id of the client's last query, for `GET /query/{id}`. */
  waymark_query_id: '',
}

const changeable: Record<string, string> = {
  application_name: '',
  client_encoding: 'UTF8',
  client_min_messages: 'notice',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  array_nulls: 'on',
  backslash_quote: 'safe_encoding',
  default_transaction_deferrable: 'off',
  default_transaction_isolation: 'read committed',
  escape_string_warning: 'on',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  jit: 'off',
  lc_messages: 'C',
  lc_monetary: 'C',
  lc_numeric: 'C',
  lc_time: 'C',
  synchronous_commit: 'on',
  work_mem: '4MB',
  xmloption: 'content',
  default_transaction_read_only: 'on',
  extra_float_digits: '1',
  lock_timeout: '0',
  row_security: 'on',
  search_path: 'main',
  standard_conforming_strings: 'on',
  statement_timeout: '0',
}

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

/** These change what is sent; each reads a value, and gives undefined for one that is not taken. */
const readers: Record<string, (value: string, now: string) => string | undefined> = {
  // As long as Postgres keeps it.
  application_name: (value) => value.slice(0, 63),
  // As Postgres does: of the name of an encoding only letters and digits count.
  client_encoding: (value) => (/^(utf8|unicode)$/i.test(value.replaceAll(/[\W_]/g, '')) ? 'UTF8' : undefined),
  DateStyle: readDateStyle,
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

const timeUnits: Record<string, number> = { '': 1, ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 }

/** The settings that Postgres has and DuckDB has not, for one client. */
export class Settings {
  readonly #values = new Map(Object.entries({ ...changeable, ...fixed }))
  /** What `default` means: what the client said when it connected. */
  #defaults: ReadonlyMap<string, string> = new Map(Object.entries(changeable))

  /** Finds the name in its right case; undefined when there is no such setting. */
  static find(name: string): string | undefined {
    return spelling.get(name.toLowerCase())
  }

  get(name: string): string | undefined {
    return this.#values.get(spelling.get(name.toLowerCase()) ?? '')
  }

  all(): [string, string][] {
    return [...this.#values].toSorted(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
  }

  /** The rows of `pg_settings`. */
  rows(): { name: string; setting: string; reset: string; context: string }[] {
    return this.all().map(([name, setting]) => {
      const context = name in changeable ? 'user' : 'internal'
      return { name, setting, reset: this.#defaults.get(name) ?? setting, context }
    })
  }

  reported(): [string, string][] {
    return [...this.#values].filter(([name]) => reported.has(name))
  }

  /** Sets a value; most have no effect here. Returns the name when the change must be reported to the client. */
  set(given: string, value: string): string | undefined {
    const name = Settings.find(given)
    if (name === undefined) return undefined
    if (name in fixed) throw new ProtocolError('55P02', `The setting ${name} cannot be changed.`)
    const isDefault = /^default$/i.test(value.trim())
    const taken = isDefault ? this.#defaults.get(name) : readValue(name, value.trim(), this.get(name)!)
    if (taken === undefined) {
      throw new ProtocolError(
        sqlState.invalidParameter,
        `${name} cannot be ${value.slice(0, 40)} here: it is ${this.get(name)}.`,
      )
    }
    this.#values.set(name, taken)
    return reported.has(name) ? name : undefined
  }

  noteQuery(id: string): void {
    this.#values.set('waymark_query_id', id)
  }

  /** From now on `default` means the values of this moment. */
  keep(): void {
    this.#defaults = new Map([...this.#values].filter(([name]) => name in changeable))
  }

  /** The settings that are not at their default. */
  differing(): string[] {
    return [...this.#defaults]
      .filter(([name, value]) => this.#values.get(name) !== value)
      .map(([name]) => name)
  }

  /** How long the client lets a statement run; undefined when it did not say. */
  get statementTimeoutMs(): number | undefined {
    const [, count, unit = ''] = /^(\d+)\s*(ms|s|min|h|d)?$/.exec(this.get('statement_timeout') ?? '') ?? []
    const milliseconds = Number(count ?? 0) * (timeUnits[unit] ?? 1)
    return milliseconds > 0 ? milliseconds : undefined
  }
}
