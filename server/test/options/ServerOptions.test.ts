import { availableParallelism } from 'node:os'
import { expect, it } from 'vitest'
import { completeOptions } from '../../src/options/ServerOptions.js'

it.each([
  [{ memoryLimit: '200MiB' }, 1],
  [{ memoryLimit: '256MiB' }, 1],
  [{ memoryLimit: '1TiB' }, availableParallelism()],
  [{ memoryLimit: '256MiB', threads: 7 }, 7],
])('with %o DuckDB computes with %i threads', (options, threads) => {
  expect(completeOptions(options).threads).toBe(threads)
})
