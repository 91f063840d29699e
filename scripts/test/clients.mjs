// Drivers and tools of other people read from the service by the Postgres protocol, each by a script of
// server/test/clients, which prints `+ check` or `- check: reason`. Those that this machine has not are not tried.
//   npm run test:all -- --only clients
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../setup/root.mjs'
import { run } from '../setup/run.mjs'
import { startService } from '../startService.mjs'
import { driverPackages, installPython, toolPackages } from './installPackages.mjs'

const folder = join(root, 'server/test/clients')
const at = (/** @type {string} */ name) => join(folder, name)
// Debian's packages are for Debian's Python.
const python = '/usr/bin/python3'
const jdbc = '/usr/share/java/postgresql.jar'

/** @param {string} name @param {string} module @returns {Tool} */
const pythonTool = (name, module) => ({
  name,
  has: [python, '-c', `import ${module}`],
  command: [python, '-B', at(`${module}_.py`)],
})

/** Tools that Debian has not, or not as new: in an environment of their own. @returns {Promise<Tool[]>} */
async function newerTools() {
  const newer = (await installPython('tools', toolPackages)) ?? ''
  const newest = (await installPython('drivers', driverPackages)) ?? ''
  return [
    { name: 'SQLAlchemy 2.0', has: [newer, '--version'], command: [newer, '-B', at('reflect_.py')] },
    { name: 'SQLAlchemy 2.1', has: [newest, '--version'], command: [newest, '-B', at('reflect_.py')] },
    { name: 'ADBC (pandas, polars)', has: [newer, '--version'], command: [newer, '-B', at('adbc_.py')] },
    { name: 'dlt', has: [newer, '--version'], command: [newer, '-B', at('dlt_.py')] },
    { name: 'dbt', has: [newer, '--version'], command: [newer, '-B', at('dbt_.py')] },
  ]
}

/**
 * `has` ends well where the tool is there.
 * @typedef {{ name: string, has: string[], command: string[], before?: string[], env?: Record<string, string> }} Tool
 */

/** @param {string} work a folder for what is compiled @returns {Tool[]} */
const toolsOf = (work) => [
  { name: 'psql', has: ['psql', '--version'], command: ['bash', at('psql.sh')] },
  { name: 'node pg', has: [process.execPath, '--version'], command: [process.execPath, at('node-pg.mjs')] },
  pythonTool('psycopg 2', 'psycopg2'),
  pythonTool('psycopg 3', 'psycopg'),
  pythonTool('asyncpg', 'asyncpg'),
  pythonTool('SQLAlchemy', 'sqlalchemy'),
  pythonTool('pandas', 'pandas'),
  pythonTool('Django', 'django'),
  pythonTool('ODBC (pyodbc)', 'pyodbc'),
  { name: 'Ruby pg', has: ['ruby', '-e', 'require "pg"'], command: ['ruby', at('ruby-pg.rb')] },
  {
    name: 'Rails',
    has: ['ruby', '-e', 'require "active_record"; require "pg"'],
    command: ['ruby', at('rails.rb')],
  },
  {
    name: 'JDBC',
    has: ['bash', '-c', `javac -version && test -e ${jdbc}`],
    before: ['javac', '-cp', jdbc, '-d', work, at('Jdbc.java')],
    command: ['java', '-cp', `${work}:${jdbc}`, 'Jdbc'],
  },
  {
    name: 'Go (lib/pq, pgx)',
    has: [
      'bash',
      '-c',
      'go version && test -e /usr/share/gocode/src/github.com/lib/pq -a -e /usr/share/gocode/src/github.com/jackc/pgx/v4',
    ],
    command: ['go', 'run', at('drivers.go')],
    env: { GO111MODULE: 'off', GOPATH: '/usr/share/gocode' },
  },
  {
    name: 'PHP (PDO, pgsql)',
    has: ['php', '-r', 'exit(extension_loaded("pdo_pgsql") ? 0 : 1);'],
    command: ['php', at('php.php')],
  },
  ...['Metabase', 'Grafana', 'Power BI', 'Tableau', 'DuckDB', 'DBeaver', 'people'].map((name) => ({
    name: `${name}, by statements alone`,
    has: [process.execPath, '--version'],
    command: [process.execPath, at('byStatements.mjs'), name.toLowerCase().replace(' ', '-')],
  })),
]

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

/** @param {Tool} tool @param {Record<string, string>} ports @returns {Promise<string[] | undefined>} the lines of its script; undefined where it is not there */
async function tryTool({ has, command, before, env = {} }, ports) {
  const call = (/** @type {string[]} */ [name, ...args]) =>
    run(name, args, { env: { ...env, ...ports }, quiet: true, timeoutMs: 900_000 })
  if ((await call(has)).code !== 0) return undefined
  const made = before && (await call(before))
  if (made && made.code !== 0) return [`- is compiled: ${made.output}`]
  const { code, output } = await call(command)
  const lines = output.split('\n').filter((line) => /^[+-] /.test(line))
  return code === 0 ? lines : [...lines, `- ends well: ${output.trim().slice(-400)}`]
}

const work = mkdtempSync(join(tmpdir(), 'waymark-clients-'))
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
  console.log('\n| tool | checks | |\n|---|---|---|')
  for (const tool of [...toolsOf(work), ...(await newerTools())]) {
    const lines = await tryTool(tool, { WAYMARK_PORT: port, WAYMARK_TLS_PORT: port })
    const wrong = lines?.filter((line) => line.startsWith('- ')) ?? []
    failed += wrong.length + (lines?.length === 0 ? 1 : 0)
    const count =
      lines === undefined ? 'not on this machine' : `${lines.length - wrong.length} of ${lines.length}`
    console.log(`| ${tool.name} | ${count} | ${wrong.map((line) => line.slice(2)).join('; ')} |`)
  }
  await stop()
} finally {
  rmSync(work, { recursive: true, force: true })
}
process.exitCode = failed > 0 ? 1 : 0
