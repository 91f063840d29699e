import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { signUser } from '../../src/node/index'

it.each(['u_1', 'Zoë', ''])('signUser makes of %j the HMAC-SHA256 that every language makes', async (id) => {
  expect(await signUser(id, 'sécret')).toBe(createHmac('sha256', 'sécret').update(id).digest('hex'))
})
