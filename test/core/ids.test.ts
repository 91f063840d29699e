import { expect, it, vi } from 'vitest'
import { isBugId } from '../../server/src/payloads/payloads'
import { newId, readUserId } from '../../src/core/ids'

it('makes ids of 21 characters that differ, beyond one draw of random bytes', () => {
  const ids = Array.from({ length: 1000 }, () => newId())
  for (const id of ids) expect(id).toMatch(/^[\w-]{21}$/)
  expect(new Set(ids).size).toBe(1000)
  expect(newId(10)).toMatch(/^[\w-]{10}$/)
})

it('asks the browser for random bytes once for many ids, into the same array', () => {
  const draw = vi.spyOn(crypto, 'getRandomValues')
  for (let n = 0; n < 190; n++) newId()
  expect(draw.mock.calls.length).toBeLessThanOrEqual(1)
  for (let n = 0; n < 500; n++) newId()
  expect(new Set(draw.mock.calls.map(([array]) => array)).size).toBe(1)
  draw.mockRestore()
})

it.each([
  ...[
    'undefined',
    ' Null\n',
    'NaN',
    '',
    '  ',
    '\u00a0',
    '0',
    '-1',
    'none',
    'nil',
    'TRUE',
    'false',
    'guest',
    'anonymous',
  ],
  ...[
    '[object Object]',
    '[object Promise]',
    '[object ]',
    '[object',
    'object]',
    '[object a]b',
    '[object a\nb]',
  ],
  ...[
    'nullable',
    '00',
    '1',
    '0.0',
    '-10',
    'a guest',
    'guest1',
    'true-42',
    'ada',
    '[]',
    'K\u0131nil',
    'n\u0131l',
  ],
])('finds in %j what the service finds', (id) => {
  expect(readUserId(id) === undefined).toBe(isBugId(id))
})
