import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runPsql } from '../fixtures/runPsql.js'
import { spawnService, type Spawned } from '../fixtures/spawnService.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let service: Spawned | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-postgres-'))
})
afterEach(async () => {
  service?.kill('SIGKILL')
  await service?.ended
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const launch = async (...more: string[]) => {
  const flags = [
    '--port',
    '0',
    '--postgres-port',
    '0',
    '--data',
    join(folder, 'data'),
    '--users',
    'ada:lovelace',
  ]
  service = spawnService([...flags, '--memory-limit', '256MB', '--quiet', ...more], { direct: true })
  const line = await (more.includes('ingest') ? service.listening : service.ready)
  return { pid: service.pid, port: Number(/:(\d+) \(Postgres\)/.exec(line ?? '')?.[1]) }
}

const engineOf = (pid: number): number => {
  const found = readdirSync('/proc').find((name) => {
    try {
      return (
        /^\d+$/.test(name) &&
        Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1]) === pid
      )
    } catch {
      return false
    }
  })
  if (found === undefined) throw new Error('There is no engine.')
  return Number(found)
}

it('after the engine was killed psql is told that it is being started, and then reads again', async () => {
  const { pid, port } = await launch()
  expect((await runPsql(port, ['SELECT 1'])).stdout.trim()).toBe('1')
  process.kill(engineOf(pid), 'SIGKILL')
  await eventually(async () => expect((await runPsql(port, ['SELECT 2'])).stdout.trim()).toBe('2'))
})

// A client waits for a minute before it is told.
it('without an engine psql is told so', { timeout: 120_000 }, async () => {
  const { port } = await launch('--role', 'ingest')
  const { stderr } = await runPsql(port, ['SELECT 1'])
  expect(stderr).toContain('The query engine is being started. Connect again in a moment.')
})

it('psql speaks over TLS where there is a certificate', async () => {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-days', '2']
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject],
    { stdio: 'ignore' },
  )
  const { port } = await launch('--postgres-tls-cert', cert, '--postgres-tls-key', key)
  const { stdout, stderr } = await runPsql(port, ['\\conninfo', 'SELECT 3'], { PGSSLMODE: 'require' })
  expect([stdout, stderr]).toEqual([expect.stringMatching(/SSL connection[^]*\n3\n$/), ''])
})
