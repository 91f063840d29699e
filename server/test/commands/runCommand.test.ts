import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { runWaymark } from '../fixtures/runWaymark.js'

const folder = mkdtempSync(join(tmpdir(), 'waymark-command-'))
afterAll(() => rmSync(folder, { recursive: true }))

it.each(['backup', 'restore', 'check', 'salvage', 'export', 'import', 'crawlers'])(
  '%s --help says how it is used',
  async (name) => {
    const { code, lines } = await runWaymark(name, '--help')
    expect(code).toBe(0)
    expect(lines.join('\n')).toContain(`waymark-server ${name}`)
  },
)

it.each([
  [
    'store',
    [],
    'There is no command store; there are backup, restore, check, salvage, retry-rejected, export, import, crawlers and hash-password. See --help.',
  ],
  ['backup', [], 'The name of the file is missing. See waymark-server backup --help.'],
  ['backup', ['a', 'b'], 'b is one word too many. See waymark-server backup --help.'],
  ['check', ['--colour'], "Unknown option '--colour'. See waymark-server check --help."],
  [
    'export',
    ['--data', '.'],
    '--parquet is missing: name the folder for the files. See waymark-server export --help.',
  ],
])('%s %j is wrong usage, told in a sentence', async (name, argv, problem) => {
  expect(await runWaymark(name, ...argv)).toEqual({ code: 2, lines: [], problems: problem })
})

it.each([
  ['backup', ['new.tar']],
  ['check', []],
  ['salvage', []],
  ['export', ['--parquet', 'files']],
])('%s says that there is no store, and makes none', async (name, argv) => {
  const data = join(folder, 'nothing')
  expect(await runWaymark(name, ...argv, '--data', data)).toEqual({
    code: 1,
    lines: [],
    problems: `There is no store in ${data}; name its folder by --data.`,
  })
})
