import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'

const root = fileURLToPath(new URL('..', import.meta.url))
const { exports } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
  exports: Record<string, string | Record<'import' | 'require', { types: string; default: string }>>
}
/** Those that are modules with types; the others are files. */
const entries = Object.keys(exports).filter((name) => typeof exports[name] === 'object')

test('every entry is imported and started in plain Node, which then ends by itself', async () => {
  const names = entries.map((name) => `waymark${name.slice(1)}`)
  expect(names).toContain('waymark/pageviews')
  const code = `
    // The entry for servers is started by its own tests: it works there.
    const modules = Object.fromEntries(
      await Promise.all(${JSON.stringify(names)}.map(async (name) => [name, await import(name)])),
    )
    delete modules['waymark/node']
    for (const { createWaymark } of Object.values(modules)) {
      const waymark = createWaymark?.().init('pk_1', { endpoint: 'https://api.test' })
      waymark?.track('A')
      if (waymark) console.log(JSON.stringify(await waymark.flush()))
    }`
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', code],
    { cwd: root },
  )
  expect(stderr).toBe('')
  // The main entry's and the worker's: nothing is sent where there is no page.
  expect(stdout.trim().split('\n')).toEqual(Array(2).fill('{"sent":0,"left":0,"dropped":0}'))
})

test('only the development build names wrong options, also to the adapters', async () => {
  const code = `
    import { waymark, createWaymark } from 'waymark'
    import { waymarkPlugin } from 'waymark/vue'
    waymark.init('pk_1', { enviroment: 'staging' })
    createWaymark().init('pk_1', { batch: { max: 1 } })
    const app = { provide() {}, config: { globalProperties: {} } }
    waymarkPlugin({ apiKey: 'pk_1', config: { relaese: '1' } }).install(app)
    console.log(app.config.globalProperties.$waymark === waymark)`
  const say = async (...conditions: string[]) => {
    const args = [...conditions, '--input-type=module', '--eval', code]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: root })
    expect(stdout).toContain('true')
    return [...stderr.matchAll(/unknown-option: There is no option "(.+?)"/g)].map(([, name]) => name)
  }
  expect(await say()).toEqual([])
  expect(await say('--conditions=development')).toEqual(['enviroment', 'batch.max', 'relaese'])
})

test('every entry brings its types, and no entry brings the core a second time', () => {
  for (const name of entries) {
    for (const { types, default: code } of Object.values(exports[name]!) as {
      types: string
      default: string
    }[]) {
      expect(readFileSync(`${root}/${types}`, 'utf8')).toMatch(/export/)
      const hasCore = readFileSync(`${root}/${code}`, 'utf8').includes('getAllKeys')
      expect([code, hasCore]).toEqual([code, ['.', './worker', './node'].includes(name)])
    }
  }
})
