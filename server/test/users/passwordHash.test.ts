import { expect, it } from 'vitest'
import { hashPassword, isPasswordOf, parseHash } from '../../src/users/passwordHash.js'

it('knows the password that a hash was made of, however its letters were put together', async () => {
  const text = await hashPassword('Lovelace é')
  expect(text).toMatch(/^SCRAM-SHA-256\$100000:[\w+/]{22}==\$[\w+/]{43}=:[\w+/]{43}=$/)
  const hash = parseHash(text)!
  expect(await isPasswordOf('Lovelace e\u0301', hash)).toBe(true)
  for (const wrong of ['lovelace é', 'Lovelace é ', '']) expect(await isPasswordOf(wrong, hash)).toBe(false)
})

it('knows the password of a hash that PostgreSQL made', async () => {
  const text =
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU='
  // RFC 7677 has this example, with the password `pencil`.
  expect(await isPasswordOf('pencil', parseHash(text)!)).toBe(true)
  expect(await isPasswordOf('pencils', parseHash(text)!)).toBe(false)
})

it('makes another hash of the same password each time', async () => {
  expect(await hashPassword('x', 4096)).not.toBe(await hashPassword('x', 4096))
})

const [salt, key] = ['a'.repeat(22), `${'b'.repeat(43)}=`]
it.each([
  'password',
  `SCRAM-SHA-256$4096:${salt}==$${key}`,
  `SCRAM-SHA-256$4096:${salt}==$${key}:${key}x`,
  `SCRAM-SHA-256$4096:short$${key}:${key}`,
  `SCRAM-SHA-256$1000:${salt}==$${key}:${key}`,
  // Ten seconds a try.
  `SCRAM-SHA-256$9999999:${salt}==$${key}:${key}`,
  `SCRAM-SHA-1$4096:${salt}==$${key}:${key}`,
])('takes no other text for a hash: %s', (text) => {
  expect(parseHash(text)).toBeUndefined()
})
