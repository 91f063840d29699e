import { HttpError } from '../http/HttpError.js'
import { messageOf } from '../sql/refuse.js'

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const sqlState = {
  syntaxError: '42601',
  insufficientPrivilege: '42501',
  readOnly: '25006',
  failedTransaction: '25P02',
  notSupported: '0A000',
  protocolViolation: '08P01',
  unknownStatement: '26000',
  unknownPortal: '34000',
  unknownDatabase: '3D000',
  wrongPassword: '28P01',
  invalidParameter: '22023',
  invalidText: '22P02',
  invalidBinary: '22P03',
  tooManyConnections: '53300',
  limitReached: '53400',
  tooLarge: '54000',
  cancelled: '57014',
  stopping: '57P01',
  starting: '57P03',
  internal: 'XX000',
} as const

/** An error for a client, with one of Postgres's codes, which programs compare. */
export class ProtocolError extends Error {
  /** Where in the statement the mistake is, where that is known. */
  place?: number
  /** Where that is in all that the client has sent, in characters from 1. */
  position?: number
  /** Whether nothing that follows from the client can be read. */
  isFatal = false

  constructor(
    readonly code: string,
    message: string,
    readonly detail?: string,
  ) {
    super(message)
    this.name = 'ProtocolError'
  }
}

/** The error for a message that is none. */
export const unreadable = (message: string): ProtocolError =>
  Object.assign(new ProtocolError(sqlState.protocolViolation, message), { isFatal: true })

const ofHttp: Record<string, string> = {
  'query-cancelled': sqlState.cancelled,
  'query-timeout': sqlState.cancelled,
  'query-gone': sqlState.cancelled,
  'query-unread': sqlState.cancelled,
  'query-stopping': sqlState.stopping,
  'engine-starting': sqlState.starting,
  'query-memory': '53200',
  'query-disk': '53100',
  'disk-failing': '58030',
  overloaded: '53000',
  'session-ended': '53000',
  'invalid-request': sqlState.invalidParameter,
  'read-only-user': sqlState.readOnly,
}

/** The code for a message of DuckDB's or of the guard's, found by its words. */
const ofMessage: [RegExp, string][] = [
  [
    /not allowed here|cannot be read here|belongs to the service|^Only TimeZone/,
    sqlState.insufficientPrivilege,
  ],
  [/launched in read-only mode/, sqlState.readOnly],
  [
    /^Parser Error|not closed|closes nothing|is empty|null character|Subquery returns|same number of result columns/,
    sqlState.syntaxError,
  ],
  [/^Catalog Error: Table|^Invalid Input Error: relation "|^Binder Error: Referenced table/, '42P01'],
  [
    /^Catalog Error: (?:Scalar|Aggregate|Table) ?(?:Macro )?Function|^Binder Error: (?:No function matches|Could not choose|UNNEST)/,
    '42883',
  ],
  [/^Catalog Error: Schema|There is no schema/, '3F000'],
  [/^Catalog Error: Type|^Invalid Input Error: unrecognized configuration/, '42704'],
  [/^Catalog Error/, '42P01'],
  [
    /^Binder Error: (?:Referenced column|Table ".*" does not have a column|Column ".*" does not exist)/,
    '42703',
  ],
  [/^Binder Error: Ambiguous/, '42702'],
  [/must appear in the GROUP BY|aggregate function calls cannot|cannot contain aggregates/, '42803'],
  [/cannot contain window functions/, '42P20'],
  [/ORDER term out of range/, '42P10'],
  [/LIMIT\/OFFSET cannot be negative/, '2201W'],
  [/^Binder Error/, '42000'],
  [/division by zero/, '22012'],
  [/More than one row returned by a subquery/, '21000'],
  [/negative substring length/, '22011'],
  [/square root of a negative/, '2201F'],
  [/cannot take logarithm/, '2201E'],
  [/specifier ".*" not recognized|Unknown TimeZone/, sqlState.invalidParameter],
  [
    /^Invalid Input Error: (?:missing|unexpected|no argument for|bad|trailing|invalid (?:escape|perl|character|repetition|named))/,
    '2201B',
  ],
  [/(?:date|time)\S* field value out of range|: (?:Date|Time|Timestamp) out of range/i, '22008'],
  [/invalid (?:date|time)\S* field format|to INTERVAL/, '22007'],
  [/Could not convert string '[+-]?\d+' to U?INT|value is out of range for/, '22003'],
  [/^Conversion Error|^Invalid Input Error/, sqlState.invalidText],
  [/^Out of Range Error/, '22003'],
  [/^Out of Memory Error/i, '53200'],
  [/^INTERRUPT/, sqlState.cancelled],
  [/^Constraint Error/, '23000'],
  [/^Not implemented Error/i, sqlState.notSupported],
]

export const asProtocolError = (error: unknown): ProtocolError => {
  if (error instanceof ProtocolError) return error
  const whole = messageOf(error)
  const known = error instanceof HttpError ? ofHttp[error.code] : undefined
  const code =
    known ??
    ofMessage.find(([pattern]) => pattern.test(whole))?.[1] ??
    (error instanceof HttpError ? '42000' : sqlState.internal)
  // Behind an empty line DuckDB shows where in the statement the error is.
  const cut = whole.indexOf('\n\n')
  const found =
    cut < 0
      ? new ProtocolError(code, whole)
      : new ProtocolError(code, whole.slice(0, cut), whole.slice(cut + 2))
  if (error instanceof HttpError && error.place !== undefined) found.place = error.place
  return found
}
