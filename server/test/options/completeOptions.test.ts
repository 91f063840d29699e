import { availableParallelism } from 'node:os'
import { expect, it } from 'vitest'
import { completeOptions } from '../../src/options/flags.js'

it.each([
  [{ memoryLimit: '200MiB' }, 1],
  [{ memoryLimit: '256MiB' }, 1],
  [{ memoryLimit: '1TiB' }, availableParallelism()],
  [{ memoryLimit: '256MiB', threads: 7 }, 7],
])('with %o DuckDB computes with %i threads', (options, threads) => {
  expect(completeOptions(options).threads).toBe(threads)
})

it('takes the defaults that the flags tell, in the units of code', () => {
  expect(completeOptions({})).toMatchObject({
    ...{ port: 8787, apiKeys: [], users: {}, environments: ['production'], planFile: '', idCookie: false },
    ...{
      statementTimeoutMs: 600_000,
      insertIdWindowMs: 15 * 86_400_000,
      archiveAfterDays: 30,
      trustProxy: 0,
    },
    ...{ syncWaitMs: 30_000, role: 'both' },
  })
  expect(completeOptions({}).archiveFolder).toBeUndefined()
})

it('keeps what is given, and takes the default for what is given as undefined', () => {
  expect(completeOptions({ port: 0, archiveAfterDays: 3 })).toMatchObject({ port: 0, archiveAfterDays: 3 })
  expect(completeOptions({ log: undefined }).log).toBeUndefined()
})

it.each([
  [{}, 'info'],
  [{ quiet: true }, 'silent'],
  [{ quiet: true, logLevel: 'debug' }, 'debug'],
] as const)('with %o the log is that of %s', (options, level) => {
  expect(completeOptions(options).logLevel).toBe(level)
})
