import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { eventBody } from './eventBody.mjs'
import { floodAttacks } from './floodAttacks.mjs'
import { basic, memoryOf, query, startService } from './startProcess.mjs'

const program = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url))
const flags = ['--memory-limit', '256MiB', '--engine-memory', '1GB', '--statement-timeout', '5']

const post = async (url, statement) => {
  const began = performance.now()
  const headers = { authorization: basic }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ statement }) })
  const text = await answer.text()
  const error = /"error":"([\w-]+)"/.exec(text)?.[1] ?? 'no error'
  return { status: answer.status, error, seconds: (performance.now() - began) / 1000 }
}

/** Sends events all the while, and tells how many were not accepted. */
const accepting = async (url, work) => {
  const counts = { accepted: 0, refused: 0 }
  let isOver = false
  const sending = (async () => {
    for (let n = 0; !isOver; n++) {
      const answer = await fetch(`${url}/track?apiKey=key`, { method: 'POST', body: eventBody(n) })
      counts[answer.ok ? 'accepted' : 'refused']++
      await answer.arrayBuffer()
    }
  })()
  const result = await work()
  isOver = true
  await sending
  return { ...result, ...counts }
}

/** The engine may have ended; the next attack is meant for a whole service. */
const untilQueried = async (url) => {
  while ((await post(`${url}/query`, 'SELECT 1')).status !== 200) await delay(100)
}

const statementAttack = async (service, { name, path, statement, expected }) => {
  const found = await accepting(service.url, () => post(service.url + path, statement))
  await untilQueried(service.url)
  const { status, error, seconds, accepted, refused } = found
  return [
    `attack: ${name} on ${path}`,
    `${expected}, and no event refused meanwhile`,
    `${status} ${error} after ${seconds.toFixed(1)} s, ${accepted} requests accepted, ${refused} refused`,
    status === expected && refused === 0,
  ]
}

const many = `SELECT 1 WHERE ${Array.from({ length: 100_000 }, (_, n) => `${n} = 1`).join(' OR ')}`
const endless = `SELECT sum(length(repeat('x', 20000000 + range::INT))) FROM range(1000000)`
const paths = ['/query', '/validate', '/explain']
const statements = [
  ...paths.map((path) => ({
    path,
    name: 'len(range(2000000000))',
    statement: 'SELECT len(range(2000000000))',
    expected: 503,
  })),
  // The other two answer 200, and say in it that the statement is not valid.
  ...paths.map((path) => ({
    path,
    name: 'a condition of 100,000 terms',
    statement: many,
    expected: path === '/query' ? 400 : 200,
  })),
  { path: '/query', name: 'repeat, which no interrupt reaches', statement: endless, expected: 503 },
]

const engineOf = ({ pid }) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')

/** Statements that the query log would have to keep. */
const longStatements = async (service) => {
  const [engine, before] = [engineOf(service), memoryOf(service.pid).ownMiB]
  const text = 'x'.repeat(1_000_000)
  for (let n = 0; n < 600; n++) await post(`${service.url}/query`, `SELECT length('${text}')`)
  const grown = memoryOf(service.pid).ownMiB - before
  const isSame = engineOf(service) === engine
  const found = `${isSame ? 'the same engine' : 'another engine'}, ${grown} MiB more`
  return ['attack: 600 statements of 1 MB', 'the engine goes on', found, isSame]
}

/** What a client without a key can make the service read. By hand: Node's client hides an answer that comes early. */
const bodyAfter401 = (service) =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    let told = ''
    const chunk = Buffer.alloc(65_536)
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('data', (part) => (told += part))
    socket.on('drain', more).on('error', () => undefined)
    socket.once('close', () => {
      const status = told.split(' ', 2)[1]
      const kiB = Math.round(socket.bytesWritten / 1024)
      // What the kernel holds on both sides is not what the service read.
      const good = status === '401' && kiB < 16_384
      resolve(['attack: 2 GB after a 401', '401, hung up on', `${status}, hung up on after ${kiB} KiB`, good])
    })
    socket.write('POST /track HTTP/1.1\r\nHost: bench\r\nContent-Length: 2000000000\r\n\r\n')
    more()
  })

const foreignOrigin = async (service) => {
  const headers = { authorization: basic, origin: 'https://evil.example' }
  const body = JSON.stringify({ statement: 'DROP TABLE IF EXISTS precious' })
  const answer = await fetch(`${service.url}/query`, { method: 'POST', headers, body })
  const credentials = answer.headers.get('access-control-allow-credentials')
  const found = `${answer.status}, credentials ${credentials}`
  return [
    'attack: a foreign page with the password',
    '403',
    found,
    answer.status === 403 && credentials === null,
  ]
}

/** A start that must fail in one sentence. */
const refusedStart = (name, data) =>
  new Promise((resolve) => {
    const began = performance.now()
    const child = spawn(process.execPath, [program, '--port', '0', '--data', data, '--api-keys', 'key'])
    let told = ''
    child.stderr.on('data', (part) => (told += part))
    child.once('close', (code) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      const good = code === 1 && told.trim().split('\n').length === 1
      resolve([
        `attack: ${name}`,
        'exit code 1, one sentence',
        `${code} after ${seconds} s: ${told.trim()}`,
        good,
      ])
    })
  })

/** What once ended, filled or opened the service. SIGTERM and a full disk are tests of the server. */
export const benchAttacks = async () => {
  const lines = []
  const service = await startService(flags)
  for (const attack of statements) lines.push(await statementAttack(service, attack))
  lines.push(await longStatements(service), await bodyAfter401(service), await foreignOrigin(service))
  const [[one]] = await query(service.url, 'SELECT 1')
  lines.push(['attack: afterwards', 'it answers', `SELECT 1 gives ${one}`, one === 1])
  await service.stop()
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-attacks-'))
  writeFileSync(join(folder, 'analytics.duckdb'), 'a letter to a friend')
  lines.push(await refusedStart('--data /proc/x', '/proc/x'), await refusedStart('a foreign file', folder))
  rmSync(folder, { recursive: true, force: true })
  return [...lines, ...(await floodAttacks())]
}
