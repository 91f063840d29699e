import { expect, it } from 'vitest'
import { createSecretSet } from '../../src/http/createSecretSet.js'

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
  expect(createSecretSet(['key', 'schlüssel', long])(presented)).toBe(held)
})

it('holds nothing when it was given nothing', () => {
  expect(createSecretSet([])('')).toBe(false)
})
