import { expect, it } from 'vitest'
import { SecretSet } from '../../src/http/auth.js'

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
