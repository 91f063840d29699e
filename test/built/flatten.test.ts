// @vitest-environment happy-dom
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
// @ts-expect-error plain JavaScript
import { flatten } from '../../scripts/build/flatten.mjs'
import { createMemoryTransport } from '../../src/adapters/testing'
import type { Waymark } from '../../src/core/types'

const dist = (file: string) => resolve('dist', file)

/** A file of the bundle, as small as it can be. */
const chunk = (...functions: string[]) => `
const createBrowser = () => { return { now: Date.now, double(n) { return n * 2 } } };
const createInstance = (browser, handle) => { return { browser, handle, count: 0 } };
const bindAll = (getInstance, functions) => functions;
${functions.join('\n')}
const add = (w, n) => { w.count += w.browser.double(n); w.last = n; return w.count };
const methods = { add, read: (w) => { const { count, last: newest } = w; return [count, newest] } };
const createWaymarkIn = (browser) => {
  const handle = { ...bindAll(() => w, methods) };
  const w = createInstance(browser, handle);
  return handle
};
const create = () => createWaymarkIn(createBrowser());
`

const run = (code: string, objects = ['w', 'browser']) => {
  const { renderChunk } = flatten(objects) as { renderChunk(code: string): { code: string } }
  return renderChunk(code).code
}

interface Counter {
  add(n: number): number
  read(): number[]
}

describe('the build makes variables of an instance', () => {
  it.each([[['w', 'browser']], [['w']]])('which works as before, each for itself (%j)', (objects) => {
    const code = run(chunk(), objects)
    expect(code).not.toMatch(/\bw\./)
    // oxlint-disable-next-line typescript/no-implied-eval -- it is the code that is tested
    const create = new Function(`${code.replace('bindAll(', '(')}; return create`)() as () => Counter
    const [one, other] = [create(), create()]
    expect([one.add(2), one.add(3), other.add(5)]).toEqual([4, 10, 10])
    expect([one.read(), other.read()]).toEqual([
      [10, 3],
      [10, 5],
    ])
  })

  it('and moves in what only instances use', () => {
    const code = run(
      chunk(
        'const triple = (n) => n * 3;',
        'const shared = (n) => n;',
        'const thrice = (w) => triple(shared(w.count));',
        'export const other = shared(1);',
      ),
    )
    const [outside] = code.split('const createWaymarkIn')
    expect(outside).toContain('const shared')
    expect(outside).not.toMatch(/triple|thrice|double/)
  })

  it.each([
    ['an instance that is a value', 'const leak = (w) => [w];'],
    ['an instance under another name', 'const read = (it) => it.count; const use = (w) => read(w);'],
    ['a field by a computed name', 'const read = (w, name) => w[name];'],
    ['what uses an instance, exported', 'export const read = (w) => w.count;'],
  ])('and stops at %s', (_, code) => {
    expect(() => run(chunk(code))).toThrow(/^flatten: .*: expected that/)
  })
})

describe('the built library', () => {
  it('makes instances that share nothing but the page', async () => {
    const { createWaymark } = (await import(pathToFileURL(dist('waymark.js')).href)) as {
      createWaymark(): Waymark
    }
    const sent = await Promise.all(
      ['pk_a', 'pk_b'].map(async (key) => {
        const memory = createMemoryTransport()
        const waymark = createWaymark().init(key, {
          endpoint: `https://${key}.test`,
          persistence: 'memory',
          transport: { fetch: memory.fetch },
        })
        waymark.register({ key })
        waymark.track(`Event of ${key}`)
        await waymark.flush()
        return memory.payloads.map(({ event, properties, distinct_id }) => [
          event,
          properties?.['key'],
          distinct_id,
        ])
      }),
    )
    expect(sent.map((events) => events.map(([event, key]) => [event, key]))).toEqual([
      [['Event of pk_a', 'pk_a']],
      [['Event of pk_b', 'pk_b']],
    ])
    expect(sent[0]![0]![2]).not.toBe(sent[1]![0]![2])
  })

  it("says let for const in a script tag's file", () => {
    expect(readFileSync(dist('waymark.iife.js'), 'utf8')).not.toMatch(/\bconst[ {[]/)
  })

  it.each([
    ['waymark.iife.js', 'no-space', 'queue.ts'],
    ['waymark.iife.js', 'too-many', 'queue.ts'],
    ['waymark.js', 'plugin-failed', 'plugins.ts'],
  ])('has a source map that leads from %s (%s) to src/core/%s', (file, word, source) => {
    const lines = readFileSync(dist(file), 'utf8').split('\n')
    const line = lines.findIndex((text) => text.includes(word))
    const map = new SourceMap(JSON.parse(readFileSync(dist(`${file}.map`), 'utf8')))
    const entry = map.findEntry(line, lines[line]!.indexOf(word)) as {
      originalSource: string
      originalLine: number
    }
    expect(entry.originalSource).toMatch(new RegExp(`src/core/${source}$`))
    const original = readFileSync(resolve('src/core', source), 'utf8').split('\n')
    expect(original.slice(entry.originalLine - 1, entry.originalLine + 3).join('\n')).toContain(word)
  })
})
