import { describe, expect, it } from 'vitest'
import { ApiKeys, readApiKey } from '../../src/http/apiKeys.js'

const long = 'k'.repeat(1000)

it.each([
  ['key', true],
  ['schlüssel', true],
  [long, true],
  ['', false],
  ['ke', false],
  ['kez', false],
  ['key\u0000', false],
  ['schl\u00fcsse', false],
  [`${long}k`, false],
  [long.slice(1), false],
  ['x'.repeat(100_000), false],
])('knows its keys, and nothing that only begins or ends like one (%#)', (presented, held) => {
  const keys = new ApiKeys(['key', 'schlüssel', long], new Set(['production']))
  expect(keys.find(presented) !== undefined).toBe(held)
})

it('holds nothing when it was given nothing', () => {
  const none = new ApiKeys([], new Set(['production']))
  expect([none.find(''), none.isEmpty]).toEqual([undefined, true])
})

describe('the API key of a request', () => {
  it.each([
    [{ 'x-api-key': 'a', authorization: 'Bearer b' }, 'apiKey=c', 'a'],
    [{ authorization: 'bearer b' }, 'apiKey=c', 'b'],
    [{}, 'apiKey=c', 'c'],
    [{ authorization: 'Basic eDp5' }, 'apiKey=c', 'c'],
    [{ authorization: 'Negotiate x y z' }, 'apiKey=c', 'c'],
    [{ authorization: 'Basic eDp5', 'x-api-key': 'a' }, '', 'a'],
    [{ authorization: 'Basic eDp5' }, '', undefined],
    [{}, 'sync=true', undefined],
  ])('is read from %j and ?%s as %s', (headers, search, key) => {
    expect(readApiKey(headers, search)).toBe(key)
  })

  it.each(['Bearer', 'Bearer a b'])(
    'is refused when it reads %j, though another one is there',
    (authorization) => {
      expect(() => readApiKey({ authorization }, 'apiKey=c')).toThrow('Bearer <API key>')
    },
  )
})

describe('an API key', () => {
  const environments = new Set(['production', 'staging', 'preview'])
  const keys = new ApiKeys(
    ['all', 'all:staging', 'one:staging', 'two:staging', 'two:preview', 'a:b:production'],
    environments,
  )

  it.each([
    ['all', ['production', 'staging', 'preview']],
    ['one', ['staging']],
    ['two', ['staging', 'preview']],
    ['a:b', ['production']],
  ])('%s writes to %j alone', (key, writable) => {
    expect([...keys.find(key)!]).toEqual(writable)
  })

  it('is none with its environment, or with a part of it', () => {
    for (const odd of ['one:staging', 'on', '', 'staging']) expect(keys.find(odd)).toBeUndefined()
  })

  it('cannot be for an environment that does not exist, and the complaint does not show it', () => {
    const make = () => new ApiKeys(['secret:stagin'], environments)
    expect(make).toThrow(
      'is for the environment "stagin", which does not exist; there are production, staging',
    )
    expect(make).not.toThrow('secret')
  })
})
