import { mkdtempSync, readFileSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import resolve from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
let folder = ''
let input = ''

beforeAll(() => {
  // Vite goes by this before the mode, and Rollup takes the condition `development` without it. The test runner has set it.
  vi.stubEnv('NODE_ENV', 'production')
  folder = mkdtempSync(join(tmpdir(), 'waymark-panel-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/waymark'))
  input = join(folder, 'main.js')
  writeFileSync(
    input,
    `import { waymark } from 'waymark'
     import { overlay } from 'waymark/overlay'
     waymark.init('pk_1', { endpoint: '/w', plugins: [overlay({ plan: { events: {} } })] })`,
  )
})
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** What the overlay alone says. */
const texts = [
  'waymark-overlay',
  'Alt+Shift+E',
  'Events of this page',
  'is not in the plan',
  'adoptedStyleSheets',
]
const found = (code: string) => texts.filter((text) => code.includes(text))

const byRollup = async (...exportConditions: string[]) => {
  const made = await rollup({
    input,
    plugins: [resolve({ browser: true, exportConditions })],
    onwarn() {},
  })
  const { output } = await made.generate({ format: 'es' })
  await made.close()
  return output[0].code
}

const byVite = async (mode: string) => {
  const made = await build({
    root: folder,
    mode,
    logLevel: 'silent',
    configFile: false,
    build: { write: false, minify: false, rollupOptions: { input } },
  })
  const [{ output }] = [made].flat() as { output: { code?: string }[] }[] as [{ output: { code?: string }[] }]
  return output.map(({ code = '' }) => code).join('')
}

describe('no production build has any of the overlay in it', () => {
  it.each([[[]], [['production']], [['import', 'module', 'default']]])(
    'of Rollup, conditions %j',
    async (conditions) => {
      const code = await byRollup(...conditions)
      expect(code).toContain('pk_1')
      expect(found(code)).toEqual([])
    },
  )

  it('of Vite', async () => {
    const code = await byVite('production')
    expect(code).toContain('pk_1')
    expect(found(code)).toEqual([])
  })

  it('by require, or by the types', () => {
    const { '.': _, './overlay': paths } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ).exports
    expect(found(readFileSync(join(root, paths.require.default), 'utf8'))).toEqual([])
  })

  it('and one for development has all of it', async () => {
    expect(found(await byRollup('development'))).toEqual(texts)
  })
})
