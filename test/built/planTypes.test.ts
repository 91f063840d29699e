import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
// TypeScript 7 has no API.
import ts from '@typescript/typescript6'
import { describe, expect, it } from 'vitest'
// @ts-expect-error plain JavaScript
import { tsc } from '../../scripts/setup/tsc.mjs'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url)).slice(0, -1)

/** What the editor offers at each `|` in a file that stands beside the fixture's. */
const complete = (fixture: string, code: string): string[] => {
  const folder = `${root}/test/types/${fixture}`
  const file = `${folder}/typed.ts`
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${folder}/tsconfig.json`, ts.sys.readFile).config,
    ts.sys,
    folder,
  )
  const places = [...code.matchAll(/\|/g)].map(({ index }, before) => index - before)
  const text = code.replaceAll('|', '')
  const read = (name: string) => (name === file ? text : ts.sys.readFile(name))
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...fileNames, file],
    getScriptVersion: () => '1',
    getScriptSnapshot(name) {
      const own = read(name)
      return own === undefined ? undefined : ts.ScriptSnapshot.fromString(own)
    },
    readFile: read,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    getCurrentDirectory: () => root,
  })
  return places.flatMap(
    (at) => service.getCompletionsAtPosition(file, at, {})?.entries.map(({ name }) => name) ?? [],
  )
}

describe.each(['plan', 'loose'])('the types of a registered plan (%s)', (fixture) => {
  it('take what is planned and refuse what is not, wherever it is tracked', async () => {
    const { stdout } = await run(
      process.execPath,
      [tsc, '-p', `test/types/${fixture}`, '--pretty', 'false'],
      { cwd: root },
    ).catch((error: { stdout: string }) => error)
    expect(stdout).toBe('')
  })

  it('let an editor complete the names of events and of properties', () => {
    const calls = `waymark.track('|')\nwaymark.track('Signed Up', { | })`
    const names = complete(fixture, `import { waymark } from 'waymark'\n${calls}`)
    expect(names).toEqual(expect.arrayContaining(['Signed Up', 'plan']))
  })
})
