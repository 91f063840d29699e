import { expect, it } from 'vitest'
import { hashPassword, isPasswordOf, parseHash } from '../../src/users/passwordHash.js'

it('knows the password that a hash was made of, however its letters were put together', async () => {
  const text = await hashPassword('Lovelace é')
  expect(text).toMatch(/^scrypt\$16384\$8\$5\$[\w-]{22}\$[\w-]{43}$/)
  const hash = parseHash(text)!
  expect(await isPasswordOf('Lovelace e\u0301', hash)).toBe(true)
  for (const wrong of ['lovelace é', 'Lovelace é ', '']) expect(await isPasswordOf(wrong, hash)).toBe(false)
})

it('makes another hash of the same password each time', async () => {
  expect(await hashPassword('x')).not.toBe(await hashPassword('x'))
})

const [salt, key] = ['a'.repeat(22), 'b'.repeat(43)]
it.each([
  'password',
  `scrypt$16384$8$5$${salt}`,
  `scrypt$16384$8$5$${salt}$${key}x`,
  `scrypt$16384$8$5$short$${key}`,
  `scrypt$1000$8$5$${salt}$${key}`,
  `scrypt$0$8$5$${salt}$${key}`,
  `scrypt$16384$0$5$${salt}$${key}`,
  // A gigabyte a try.
  `scrypt$1048576$8$1$${salt}$${key}`,
  `bcrypt$16384$8$5$${salt}$${key}`,
])('takes no other text for a hash: %s', (text) => {
  expect(parseHash(text)).toBeUndefined()
})
