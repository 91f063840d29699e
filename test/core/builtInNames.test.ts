import { describe, expect, it } from 'vitest'
import { builtInProperties } from '../../server/src/payloads/payloads'
import { isUnknown } from '../../src/core/contract'
import { scope } from '../../src/plugins/scopes'
import type { Config, Waymark } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

/** Beside the names that the service takes: a little more or less of them, and other people's. */
const foreign = [
  '$weird',
  '$',
  '$user',
  '$urls',
  '$ur',
  '$app',
  '$device_id',
  '$view',
  '$utm_id',
  '$os ',
  '$url\n',
]

/** All texts that a pattern of letters, `(…|…)` and `?` stands for. */
const textsOf = (pattern: string): string[] => {
  const inner = /\(([^()]*)\)(\?)?/.exec(pattern)
  if (inner)
    return [...inner[1]!.split('|'), ...(inner[2] ? [''] : [])].flatMap((one) =>
      textsOf(pattern.slice(0, inner.index) + one + pattern.slice(inner.index + inner[0].length)),
    )
  return [pattern]
}

it('takes the names that the service takes, and no other', () => {
  // The service refuses a whole request for one name that only the library knows: so all of its names are compared.
  const [, pattern] = /\(\?!\((.*)\)\$\)/.exec(String(isUnknown))!
  const known = textsOf(`(${pattern!})`).flatMap((one) => one.split('|'))
  expect([...new Set(known)].map((name) => `$${name}`).toSorted()).toEqual(
    [...builtInProperties].filter((name) => name.startsWith('$')).toSorted(),
  )
  for (const name of builtInProperties) expect(isUnknown(name), name).toBe(false)
  for (const name of foreign) expect(isUnknown(name), name).toBe(true)
  for (const name of builtInProperties) expect(isUnknown(`${name}x`), name).toBe(true)
})

const odd = Object.fromEntries(foreign.map((name) => [name, 1]))
const add = (properties: object | undefined) => ({ ...properties, ...odd, good: 1 })

const ways: [string, Partial<Config>, ((w: Waymark) => void)?][] = [
  ['register', {}, (w) => w.register({ ...odd, good: 1 })],
  ['registerOnce', {}, (w) => w.registerOnce({ ...odd, good: 1 })],
  ['its own properties', {}, (w) => void w.track('Other', { ...odd, good: 1 })],
  ['beforeSend', { beforeSend: (draft) => ({ ...draft, properties: add(draft.properties) }) }],
  [
    'a beforeSend that changes what it is given',
    {
      beforeSend(draft) {
        Object.assign(draft.properties ?? {}, odd)
        return draft
      },
    },
  ],
  [
    'a beforeSend that gives what nobody may change',
    { beforeSend: (draft) => Object.freeze({ ...draft, properties: Object.freeze(add(draft.properties)) }) },
  ],
  [
    'a plugin',
    { plugins: [{ name: 'odd', beforeSend: (draft) => ({ ...draft, properties: add(draft.properties) }) }] },
  ],
  ['the name of the insert id', { insertId: '$weird' }],
]

describe('a name that the service does not know never reaches it', () => {
  it.each(ways)('by %s', async (_, config, act) => {
    const world = createWorld()
    const waymark = world.openTab().init(config)
    const codes: string[] = []
    waymark.on('error', ({ code }) => codes.push(code))
    act?.(waymark)
    waymark.track('Good')
    await world.advance(5000)
    expect(world.service.names()).toContain('Good')
    for (const { properties } of world.service.events()) {
      expect(
        Object.keys(properties).filter((name) => name.startsWith('$') && !builtInProperties.has(name)),
      ).toEqual([])
    }
    expect(new Set(codes)).toEqual(new Set(['unknown-built-in-property']))
  })

  it('by a scope', async () => {
    const world = createWorld()
    const waymark = world.openTab().init()
    const page = scope('page')
    waymark.use(page)
    page.register({ ...odd, good: 1 })
    waymark.track('Good')
    await world.advance(5000)
    const [{ properties }] = world.service.events() as unknown as [{ properties: Record<string, unknown> }]
    expect(properties).toMatchObject({ good: 1 })
    for (const name of foreign) expect(properties).not.toHaveProperty([name])
  })
})
