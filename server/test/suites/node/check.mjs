// What the lists of cases of Node's drivers share: a JSON line for each case, with how it failed.
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect, isDeepStrictEqual } from 'node:util'

/** Only a case that hangs takes so long. */
const mostMs = 120_000

/** The drivers are in the folder of the step `clients`. */
export const load = createRequire(`${process.env['WAYMARK_PACKAGES']}/package.json`)

export const known = {
  host: '127.0.0.1',
  port: Number(process.env['PGPORT']),
  user: 'ada',
  password: 'lovelace',
  database: 'lakehouse',
}

// A case that hangs is told, and what it leaves ends later.
process.on('unhandledRejection', () => undefined)

const hangs = 'does not end'

/** A case: what `find` resolves to is `wanted`. */
export const tell = async (name, find, wanted) => {
  let problem = ''
  const over = new AbortController()
  try {
    const found = await Promise.race([find(), sleep(mostMs, hangs, { signal: over.signal })])
    if (!isDeepStrictEqual(found, wanted))
      problem = `${inspect(found, { depth: 5 })} instead of ${inspect(wanted, { depth: 5 })}`
  } catch (error) {
    problem = `${error?.code ?? ''} ${error?.message ?? error}`.trim() || 'fails'
  }
  over.abort()
  console.log(JSON.stringify([name, problem.replaceAll(/\s+/g, ' ').slice(0, 300)]))
}

/** A statement that takes minutes. */
export const endless =
  'SELECT sum(a.n * b.n) FROM generate_series(1, 300000) a(n), generate_series(1, 300000) b(n)'

/** Asks until the answer is true. */
export const until = async (ask) => {
  for (let tries = 0; tries < 500; tries++) if (await ask()) return
  throw new Error('it never is')
}

/** The code of the error that a call ends with. */
export const codeOf = async (call) => {
  try {
    return ['no error', await call()]
  } catch (error) {
    return error.code ?? error.message
  }
}

/** Values of each type: how they are sent, as `SELECT $1::type`, and what must come back if that is something else. */
export const moment = new Date('2024-03-31T00:59:59.123Z')
export const bytes = Buffer.from([0, 1, 39, 92, 255])
export const shared = [
  ['int2', -32768],
  ['int4', 2147483647],
  ['int8', '9223372036854775807'],
  ['int8', '-9223372036854775808'],
  ['oid', 4294967295],
  ['numeric', '12345678901234567890.0987654321'],
  ['numeric', '-0.50'],
  ['float4', 0.5],
  ['float8', 0.1],
  ['float8', 1e300],
  ['float8', -5e-324],
  ['float8', Infinity],
  ['float8', NaN],
  ['bool', true],
  ['bool', false],
  ['text', ''],
  ['text', 'it\'s "quoted" \\ $1 %s ? é€👍\n\t'],
  ['text', 'x'.repeat(200_000)],
  ['varchar', 'abc'],
  ['timestamptz', moment],
  ['uuid', '12345678-1234-5678-1234-567812345679'],
  ['time', '23:59:59.999999'],
  ['bytea', bytes],
  ['bytea', Buffer.alloc(0)],
]

/** @param {string} type @param {unknown} given */
export const nameOf = (type, given) => `${type} ${JSON.stringify(given).slice(0, 40)}`
