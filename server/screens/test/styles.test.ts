// @vitest-environment node
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const src = join(import.meta.dirname, '../src')
const sheets = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'))
const read = (path: string) => readFileSync(path, 'utf8')

it('every corner has the one radius, which is that of the demo', () => {
  const others = sheets.flatMap((name) =>
    [...read(join(src, name)).matchAll(/border-radius:([^;]+);/g)]
      .filter(([, value = '']) => !/^( 0| var\(--radius\))+$/.test(value))
      .map(([rule]) => `${name}: ${rule}`),
  )
  expect(others).toEqual([])
  const radiusOf = (sheet: string) => /--radius: ([^;]+);/.exec(sheet)?.[1]
  const demo = read(join(src, '../../../demo/site/css/base.css'))
  expect(radiusOf(read(join(src, 'base.css')))).toBe(radiusOf(demo))
})

it('every font is one of the three of the page', () => {
  const others = sheets
    .filter((name) => !['base.css', 'fonts.css'].includes(name))
    .flatMap((name) => [...read(join(src, name)).matchAll(/(?:font|font-family):([^;]+);/g)])
    .filter(([, value = '']) => !/inherit|var\(--(?:serif|sans|mono)\)/.test(value))
  expect(others).toEqual([])
})
