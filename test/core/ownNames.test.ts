// @vitest-environment happy-dom
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isOwnEvent, isOwnProperty } from '../../src/core/ownNames'
import * as service from '../../server/src/plan/createJudge'
import { campaign } from '../../src/plugins/campaign'
import { createWorld } from '../world/createWorld'

const plugins = 'src/plugins'

/** The library and the service have lists of their own, which must be alike: also for names that are nearly in them. */
const compare = (
  names: string[],
  library: (name: string) => boolean,
  inService: (name: string) => boolean,
) => {
  const near = names.flatMap((name) => [
    name,
    name.slice(1),
    `${name}s`,
    `${name}\n`,
    `x${name}`,
    `first_${name}`,
  ])
  expect(near.filter(inService)).toEqual(near.filter(library))
}

it('knows every event that a plugin names', () => {
  const files = readdirSync(plugins).filter((file) => file.endsWith('.ts'))
  const named = files.flatMap((file) =>
    [...readFileSync(`${plugins}/${file}`, 'utf8').matchAll(/'((?:[A-Z][a-z]+ )+[A-Z][a-z]+)'/g)].map(
      ([, name]) => name!,
    ),
  )
  expect(named).toEqual(expect.arrayContaining(['Page Engaged', 'Form Submitted', 'File Downloaded']))
  expect(named.filter((name) => !isOwnEvent(name))).toEqual([])
  expect(isOwnEvent('$pageview')).toBe(true)
  for (const name of ['Order Completed', 'Page Engaged Again', 'The Web Vital', ''])
    expect(isOwnEvent(name)).toBe(false)
  compare([...named, '$', '$a\n'], isOwnEvent, service.isOwnEvent)
})

it('knows every property that an event has besides its own', async () => {
  const utm = 'utm_source=a&utm_medium=b&utm_campaign=c&utm_term=d&utm_content=e'
  const clicks = 'gclid=1&dclid=2&fbclid=3&msclkid=4&ttclid=5&twclid=6&li_fat_id=7'
  history.replaceState(null, '', `/shop?${utm}&${clicks}`)
  Object.defineProperty(document, 'referrer', { value: 'https://search.test/', configurable: true })
  const world = createWorld()
  world
    .openTab()
    .init({ plugins: [campaign()] })
    .track('E')
  await world.advance(5000)
  const names = [...Object.keys(world.service.events()[0]!.properties), 'form_id', 'form_name', 'form_action']
  expect(names.length).toBeGreaterThan(35)
  expect(names.filter((name) => !isOwnProperty(name))).toEqual([])
  for (const name of ['total', 'first_name', 'insert_ids', 'utm_source', ''])
    expect(isOwnProperty(name)).toBe(false)
  const utmNames = names.filter((name) => name.startsWith('first_')).map((name) => name.slice(6))
  compare([...names, ...utmNames, '$', '$a\n'], isOwnProperty, service.isOwnProperty)
})
