import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('..', import.meta.url)
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  scripts: Record<string, string>
}

it('git ignores the folder that the service keeps its data in, wherever it is started', () => {
  const paths = ['waymark-data/wal', 'server/waymark-data/wal']
  expect(
    execFileSync('git', ['check-ignore', ...paths], { cwd: root, encoding: 'utf8' }).split('\n'),
  ).toEqual([...paths, ''])
})

it('no script takes a compiler by its bare name, which two packages have', () => {
  const commands = ['package.json', 'server/package.json'].flatMap((path) => {
    const text = readFileSync(new URL(path, root), 'utf8')
    return Object.values((JSON.parse(text) as { scripts: object }).scripts).map(String)
  })
  expect(commands.filter((command) => /(?<!typescript\/bin\/)\btsc /.test(command))).toEqual([])
})

it('CONTRIBUTING names only commands that there are', () => {
  const text = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8')
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!)
  expect(named).toEqual(expect.arrayContaining(['dev', 'check', 'lockfile']))
  expect(named.filter((name) => !scripts[name])).toEqual([])
})
