import { describe, expect, it } from 'vitest'
import { readApiKey, SecretSet } from '../../src/http/auth.js'

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
])('knows its secrets, and nothing that only begins or ends like one (%#)', (presented, held) => {
  expect(new SecretSet(['key', 'schlüssel', long]).has(presented)).toBe(held)
})

it('holds nothing when it was given nothing', () => {
  expect(new SecretSet([]).has('')).toBe(false)
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
