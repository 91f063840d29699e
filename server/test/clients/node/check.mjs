// What the Node clients share: where the service is, and one line for each check.
import { deepStrictEqual } from 'node:assert'

export const known = {
  host: '127.0.0.1',
  port: Number(process.env.WAYMARK_PORT),
  user: 'ada',
  password: 'lovelace',
  database: 'lakehouse',
}
export const url = `postgresql://ada:lovelace@127.0.0.1:${known.port}/lakehouse`
export const moment = new Date('2026-01-02T03:04:05.678Z')
export const missing = 'SELECT nothing FROM orders'

/** @param {string} name @param {() => Promise<unknown>} work @param {unknown} wanted what it gives */
export async function check(name, work, wanted) {
  try {
    deepStrictEqual(await work(), wanted)
    console.log(`+ ${name}`)
  } catch (error) {
    if (process.env.TRACE) console.error(error)
    console.log(`- ${name}: ${String(error.message).replaceAll(/\s+/g, ' ').slice(0, 600)}`)
  }
}

/** The code of the error that it ends with. @param {() => Promise<unknown>} work @param {(error: any) => unknown} [read] */
export async function codeOf(work, read = (error) => error.code) {
  try {
    await work()
    return 'no error'
  } catch (error) {
    return read(error)
  }
}

/** Columns in the order of their names, where a tool asks for none. @param {[string]} a @param {[string]} b */
export const byName = ([a], [b]) => (a < b ? -1 : 1)
