import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { until } from './fixtures/until'

// Whoever begins copies the commands of README and quick start, one after the other: what one has printed, the next needs.

const root = fileURLToPath(new URL('..', import.meta.url))

let folder: string
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-commands-'))
})
test.afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

async function commandsOf(page: string): Promise<string[]> {
  const text = await readFile(join(root, page), 'utf8')
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block]) =>
    block!
      .replaceAll('\\\n', '')
      .split('\n')
      .map((line) => line.replace(/(^|\s+)#.*/, '').trim())
      .filter(Boolean),
  )
}

/** Runs a command as a shell does, in a process group of its own, so without a terminal that curl could ask at. */
function run(command: string) {
  const child = spawn('sh', ['-c', command], {
    cwd: root,
    detached: true,
    env: { ...process.env, WAYMARK_DATA: join(folder, 'data'), WAYMARK_PORT: '0' },
  })
  const ended = once(child, 'close') as Promise<[number | null]>
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  return {
    child,
    ended,
    said: () => said,
    async stop() {
      process.kill(-child.pid!, 'SIGTERM')
      await ended
    },
  }
}

for (const page of ['README.md', 'docs/quick-start.md'])
  test(`${page}: each command does what it says, in the order written`, async () => {
    let service: ReturnType<typeof run> | undefined
    let [address, password] = ['', '']
    let answers = 0
    try {
      for (const command of await commandsOf(page)) {
        if (/^npm run (server|demo)\b/.test(command)) {
          // The demo takes its port and its folder by flags alone.
          const own = command.includes('demo') ? ` -- --port 0 --data '${join(folder, 'demo')}'` : ''
          await service?.stop()
          const started = run(command + own)
          service = started
          await until(
            () => /ready at .*\n|Ctrl-C/.test(started.said()) || started.child.exitCode !== null,
            true,
          )
          address = /(?:ready at|The service) +(http:\S+)/.exec(started.said())?.[1] ?? ''
          expect([command, address, started.said()]).toEqual([
            command,
            expect.stringContaining('http'),
            expect.any(String),
          ])
          password = /password (\S+)/.exec(started.said())?.[1] ?? ''
        } else if (command === 'npm test') {
          // Here is one of its steps; which there are it tells without a run.
          const told = run('npm test -- --only nothing')
          await told.ended
          expect(told.said()).toContain('--only takes some of ')
        } else if (command.startsWith('curl ')) {
          const asked = run(
            command.replace('curl ', 'curl -sS --fail-with-body ').replace('http://127.0.0.1:8787', address),
          )
          asked.child.stdin.end(`${password}\n`)
          const [code] = await asked.ended
          expect([command, code, asked.said()]).toEqual([command, 0, expect.stringContaining('"query_id"')])
          answers++
        } else throw new Error(`nobody runs ${command}`)
      }
    } finally {
      await service?.stop()
    }
    expect(answers).toBeGreaterThan(0)
  })
