import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/config'

const read = (given: object | null | undefined) => {
  const said: string[] = []
  return { config: readConfig(given, (code, message) => said.push(`${code}: ${message}`)), said }
}

describe('readConfig', () => {
  it('fills in defaults, at any depth', () => {
    const { config, said } = read({ endpoint: 'https://api.test', batch: { maxEvents: 5 } })
    expect(said).toEqual([])
    expect(config).toMatchObject({
      endpoint: 'https://api.test',
      environment: 'production',
      batch: { maxEvents: 5, maxBytes: 28_672, intervalMs: 2000 },
    })
  })

  it('names an option that does not exist, and those that do', () => {
    const { said } = read({ batch: { max_events: 5 } })
    expect(said).toEqual(['unknown-option: "batch.max_events" is none of: maxEvents, maxBytes, intervalMs'])
  })

  it('names an option of the wrong type, and goes on with its default', () => {
    const { config, said } = read({
      batch: { maxEvents: '5' },
      environment: null,
      url: { keepParams: 'utm_*' },
    })
    expect(said.map((text) => text.split(' has')[0])).toEqual([
      'invalid-option: "batch.maxEvents"',
      'invalid-option: "environment"',
      'invalid-option: "url.keepParams"',
    ])
    expect(config.batch.maxEvents).toBe(20)
    expect(config.environment).toBe('production')
  })

  it('takes every documented value of an option with several types', () => {
    for (const beacon of ['auto', true, false]) {
      expect(read({ transport: { beacon } })).toMatchObject({ said: [], config: { transport: { beacon } } })
    }
    expect(read({ insertId: false })).toMatchObject({ said: [], config: { insertId: false } })
  })

  it('is not confused by names that every object has', () => {
    expect(read({ constructor: 1, toString: 2 }).said).toHaveLength(2)
  })

  it.each([null, undefined])('takes %s for no options', (given) => {
    expect(read(given)).toMatchObject({ said: [], config: { environment: 'production' } })
  })

  it('names an option of the wrong type whose value is a circle', () => {
    const plugin: Record<string, unknown> = { name: 'one' }
    plugin['self'] = plugin
    const said: string[] = []
    readConfig({ plugins: 'two' }, (code) => said.push(code), { plugins: [plugin] })
    expect(said).toEqual(['invalid-option'])
  })
})
