// Drivers, tools and clients of other people read from the service, and SDKs send to it, each by a script of server/test/clients, which
// prints `+ check` or `- check: reason`. Those whose program or packages this machine has not are not tried.
//   npm run test:all -- --only clients
//   node scripts/test/clients.mjs pgx Hibernate     only those whose names have one of these words
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../setup/root.mjs'
import { run } from '../setup/run.mjs'
import { startService } from '../startService.mjs'
import { at, prepareBeside, toolsOf } from './clientTools.mjs'

/** @param {string} url @param {string} path @param {unknown} body @returns {Promise<void>} */
async function post(url, path, body) {
  const authorization = `Basic ${Buffer.from('ada:lovelace').toString('base64')}`
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (text.includes('engine-starting')) {
    await sleep(100)
    return post(url, path, body)
  }
  if (!response.ok) throw new Error(text)
}

/** @param {string} url */
async function fill(url) {
  const files = [at('orders.sql'), join(root, 'server/test/postgres/values/sample.sql')]
  for (const statement of files.flatMap((file) => readFileSync(file, 'utf8').split(';\n')))
    await post(url, '/query', { statement })
  const event = {
    event: 'Signed Up',
    environment: 'production',
    distinct_id: 'u1',
    properties: { plan: 'pro' },
  }
  await post(url, '/track?sync=true&apiKey=pk_clients', event)
}

/**
 * The lines of its script, or why it is not tried.
 * @param {import('./clientTools.mjs').Tool} tool @param {Record<string, string>} env
 * @returns {Promise<string[] | string>}
 */
async function tryTool({ has, of, command }, env) {
  const reason = await of?.prepare()
  if (reason) return reason
  const { cwd } = of ?? {}
  const call = (/** @type {string[]} */ [name = '', ...args]) =>
    run(name, args, { env, quiet: true, timeoutMs: 300_000, ...(cwd === undefined ? {} : { cwd }) })
  if (has && (await call(has)).code !== 0) return 'not on this machine'
  const { code, output } = await call(command)
  const lines = output.split('\n').filter((line) => /^[+-] /.test(line))
  return code === 0 ? lines : [...lines, `- ends well: ${output.trim().slice(-400)}`]
}

const work = mkdtempSync(join(tmpdir(), 'waymark-clients-'))
const wanted = toolsOf(process.argv.slice(2))
void prepareBeside(wanted)
/** @type {string[]} */
const notTried = []
let failed = 0
try {
  const [cert, key] = [join(work, 'cert.pem'), join(work, 'key.pem')]
  const how = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '2']
  execFileSync('openssl', [...how, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  // With the rounds that `hash-password` makes, which every driver must take.
  const launcher = join(root, 'server/bin/waymark-server.mjs')
  const hash = execFileSync(process.execPath, [launcher, 'hash-password'], { input: 'lovelace\n' })
  const users = join(work, 'users.json')
  writeFileSync(users, JSON.stringify({ ada: { role: 'write', password: hash.toString().trim() } }))
  const more = [
    '--users-file',
    users,
    '--postgres-port',
    '0',
    '--postgres-tls-cert',
    cert,
    '--postgres-tls-key',
    key,
    '--quiet',
  ]
  const { url, output, stop } = await startService({
    data: join(work, 'data'),
    apiKeys: 'pk_clients',
    users: 'other:password',
    more,
  })
  await fill(url)
  const port = /:(\d+) \(Postgres\)/.exec(output)?.[1] ?? ''
  const parameters = join(root, 'server/test/postgres/values/parameters.jsonl')
  const env = { WAYMARK_PORT: port, WAYMARK_TLS_PORT: port, WAYMARK_URL: url, WAYMARK_PARAMETERS: parameters }
  console.log('\n| tool | checks | seconds | |\n|---|---|--:|---|')
  for (const tool of wanted) {
    const startedMs = Date.now()
    const lines = await tryTool(tool, env)
    // Those of a tool also count how long it waits for its packages and compiler.
    const seconds = ((Date.now() - startedMs) / 1000).toFixed(0)
    if (typeof lines === 'string') {
      notTried.push(tool.name)
      console.log(`| ${tool.name} | not tried | ${seconds} | ${lines} |`)
      continue
    }
    const wrong = lines.filter((line) => line.startsWith('- '))
    failed += wrong.length + (lines.length === 0 ? 1 : 0)
    const count = `${lines.length - wrong.length} of ${lines.length}`
    console.log(`| ${tool.name} | ${count} | ${seconds} | ${wrong.map((line) => line.slice(2)).join('; ')} |`)
  }
  console.log(`\nNot tried: ${notTried.join(', ') || 'none'}`)
  await stop()
} finally {
  rmSync(work, { recursive: true, force: true })
}
process.exitCode = failed > 0 ? 1 : 0
