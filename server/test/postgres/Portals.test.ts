import { expect, it } from 'vitest'
import type { Portal } from '../../src/postgres/Portal.js'
import { Portals } from '../../src/postgres/Portals.js'

const portal = (isOpen: boolean, bytes = 0) =>
  ({ source: isOpen ? { close() {} } : undefined, bytes }) as unknown as Portal

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

it('a connection has a thousand portals at most, of 64 MiB; one that takes the place of another is not one more', () => {
  const portals = new Portals()
  for (let n = 0; n < 1000; n++) portals.set(`p${n}`, portal(false))
  expect(() => portals.set('one more', portal(false))).toThrow('may hold 1000 portals')
  portals.set('p0', portal(false))
  portals.dropAll()
  const half = 2 ** 25
  portals.set('a', portal(false, half))
  portals.set('b', portal(false, half))
  expect(() => portals.set('c', portal(false, 1))).toThrow('67108864 bytes in all')
  portals.set('b', portal(false, half))
  portals.drop('a')
  portals.set('c', portal(false, half))
})
