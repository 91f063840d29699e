import { describe, expect, it } from 'vitest'
import { defaults, readConfig } from '../../src/core/config'
import type { Config } from '../../src/core/types'

describe('an option with a value that it does not take', () => {
  it.each([
    [{ consent: 'Granted' }],
    [{ consent: 'yes' }],
    [{ persistence: 'localstorage' }],
    [{ delivery: 'exactly-once' }],
    [{ transport: { auth: 'basic' } }],
    [{ transport: { beacon: 'never' } }],
    [{ transport: { timeoutMs: '5' } }],
    [{ batch: 20 }],
    [{ plugins: {} }],
    [{ insertId: null }],
  ])('%j has its default', (given) => {
    expect(readConfig(given)).toEqual(defaults)
  })

  it.each<[Partial<Config>]>([
    [{ consent: 'pending', persistence: 'memory', delivery: 'at-least-once' }],
    [{ transport: { ...defaults.transport, auth: 'bearer', beacon: false } }],
    [{ insertId: false }],
  ])('%j is taken', (given) => {
    expect(readConfig(given)).toEqual({ ...defaults, ...given })
  })
})
