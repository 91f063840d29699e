import { describe, expect, it } from 'vitest'
import { readUserId } from '../../src/core/ids'

describe('readUserId', () => {
  it.each([
    '',
    ' ',
    'guest',
    'null',
    'undefined',
    'NaN',
    '0',
    '[object Object]',
    'true',
    null,
    undefined,
    {},
    0,
    NaN,
  ])('refuses %j', (given) => expect(readUserId(given)).toBeUndefined())

  it.each([
    ['u_1', 'u_1'],
    [42, '42'],
    ['nullable', 'nullable'],
    ['guest-7', 'guest-7'],
  ])('takes %j', (given, id) => expect(readUserId(given)).toBe(id))
})
