import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { signUser } from '../../src/node/index'

it.each(['u_1', 'Zoë', ''])('signUser makes of %j the HMAC-SHA256 that every language makes', async (id) => {
  expect(await signUser(id, 'sécret')).toBe(createHmac('sha256', 'sécret').update(id).digest('hex'))
})

it('signUser makes a signature with bounds that every language makes', async () => {
  const bounds = { environment: 'production', until: 1_800_000_000_000 }
  const right = createHmac('sha512', 'sécret').update('1800000000000\nproduction\nZoë').digest('hex')
  expect(await signUser('Zoë', 'sécret', bounds)).toBe(`1800000000000.${right}`)
})
