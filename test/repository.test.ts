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

/** Tests that start a process by themselves and ask it, and what they ask before it is up, or without an engine. */
const startsItself = new Map([
  ['server/test/startIngest.test.ts', 'an ingest process that has no engine yet'],
  ['server/test/cluster/access.test.ts', 'an ingest process alone, which has no engine'],
  ['server/test/cluster/sharedLog.test.ts', 'an ingest process alone, which has no engine'],
  ['server/test/proxy.test.ts', 'proxies, until they answer'],
  ['server/test/disk/minFreeDisk.long.test.ts', 'a service whose engine has no room to start'],
  ['server/test/npmRunServer.long.test.ts', 'a service by its page, which needs no engine'],
  ['server/test/nodeKilled.long.test.ts', 'a program with the library, never the service'],
  ['server/test/attacks/clock.long.test.ts', 'the health of a service that is starting'],
  ['server/test/attacks/disk.long.test.ts', 'the health of a service that is starting'],
  ['server/test/disk/diskFull.long.test.ts', 'a service whose engine cannot start'],
  ['server/test/duckdb/givenUp.long.test.ts', 'a service whose engine cannot start'],
])

it('a test asks only what a fixture has started, which waits until it answers', () => {
  const files = execFileSync('git', ['ls-files', 'e2e/*.spec.ts', 'server/test/*.test.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
  const starts =
    /import .*\b(spawn|fork)\b.* from 'node:child_process'|\bstart(Server|Ingest|Engine|Service|Program|Demo)\(|\.listening\b/
  const asks = /\b(fetch|askRaw)\(/
  const found = files
    .split('\n')
    .filter(Boolean)
    .filter((path) => {
      const text = readFileSync(new URL(path, root), 'utf8')
      return starts.test(text) && asks.test(text)
    })
  expect(found.filter((path) => !startsItself.has(path))).toEqual([])
})
