import { expect, it } from 'vitest'
import type { Portal } from '../../src/postgres/Portal.js'
import { Portals } from '../../src/postgres/Portals.js'

const portal = (isOpen: boolean) => ({ source: isOpen ? { close() {} } : undefined }) as unknown as Portal

it('a connection has four portals that are not read to their end', () => {
  const portals = new Portals()
  for (const name of ['a', 'b', 'c']) portals.set(name, portal(true))
  portals.set('read to its end', portal(false))
  const fourth = portal(true)
  portals.set('d', fourth)
  expect(() => portals.admit(fourth)).not.toThrow()
  const fifth = portal(false)
  portals.set('e', fifth)
  expect(() => portals.admit(fifth)).toThrow('4 portals are open already')
  portals.drop('a')
  expect(() => portals.admit(fifth)).not.toThrow()
})
