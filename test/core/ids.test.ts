import { expect, it } from 'vitest'
import { newId } from '../../src/core/ids'

it('makes ids of 21 characters that differ, beyond one draw of random bytes', () => {
  const ids = Array.from({ length: 1000 }, () => newId())
  for (const id of ids) expect(id).toMatch(/^[\w-]{21}$/)
  expect(new Set(ids).size).toBe(1000)
  expect(newId(10)).toMatch(/^[\w-]{10}$/)
})
