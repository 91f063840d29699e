import { ProtocolError, sqlState } from './ProtocolError.js'

/** Clients choose their catalog queries by this version. */
export const serverVersion = '14.0 (waymark)'

/** These settings are reported to every client when it connects, as Postgres does. */
const reported = new Set(
  (
    'server_version server_encoding client_encoding application_name is_superuser session_authorization ' +
    'DateStyle IntervalStyle TimeZone integer_datetimes standard_conforming_strings default_transaction_read_only'
  ).split(' '),
)

const fixed: Record<string, string> = {
  server_version: serverVersion,
  server_version_num: '140000',
  server_encoding: 'UTF8',
  integer_datetimes: 'on',
  is_superuser: 'off',
  in_hot_standby: 'off',
  max_identifier_length: '63',
  max_index_keys: '32',
  block_size: '8192',
  lc_collate: 'C',
  lc_ctype: 'C',
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
  default_transaction_isolation: 'read committed',
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

/** These settings would change how values are written, so they can be set only to what they are. */
const onlyAs: Record<string, RegExp> = {
  client_encoding: /^(utf-?8|unicode|default)$/i,
  DateStyle: /^(iso|default)\b/i,
  IntervalStyle: /^(postgres|default)$/i,
  bytea_output: /^(hex|default)$/i,
  standard_conforming_strings: /^(on|true|yes|1|default)$/i,
  default_transaction_read_only: /^(on|true|yes|1|default)$/i,
}

const timeUnits: Record<string, number> = { '': 1, ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 }

/** The settings that Postgres has and DuckDB has not, for one client. */
export class Settings {
  readonly #values = new Map(Object.entries({ ...changeable, ...fixed }))

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

  reported(): [string, string][] {
    return [...this.#values].filter(([name]) => reported.has(name))
  }

  /** Sets a value; most have no effect here. Returns the name when the change must be reported to the client. */
  set(given: string, value: string): string | undefined {
    const name = Settings.find(given)
    if (name === undefined) return undefined
    if (name in fixed) throw new ProtocolError('55P02', `The setting ${name} cannot be changed.`)
    const allowed = onlyAs[name]
    if (allowed !== undefined && !allowed.test(value.trim())) {
      throw new ProtocolError(
        sqlState.invalidParameter,
        `${name} cannot be ${value.slice(0, 40)} here: it is ${changeable[name]}.`,
      )
    }
    if (allowed === undefined) this.#values.set(name, /^default$/i.test(value) ? changeable[name]! : value)
    return reported.has(name) ? name : undefined
  }

  noteQuery(id: string): void {
    this.#values.set('waymark_query_id', id)
  }

  reset(): void {
    for (const [name, value] of Object.entries(changeable)) this.#values.set(name, value)
  }

  /** How long the client lets a statement run; undefined when it did not say. */
  get statementTimeoutMs(): number | undefined {
    const [, count, unit = ''] = /^(\d+)\s*(ms|s|min|h|d)?$/.exec(this.get('statement_timeout') ?? '') ?? []
    const milliseconds = Number(count ?? 0) * (timeUnits[unit] ?? 1)
    return milliseconds > 0 ? milliseconds : undefined
  }
}
