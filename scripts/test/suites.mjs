// Suites of other people, or what they check, run against one started service. Each is a module of server/test/suites.
// What it is known to fail is in server/test/suites/expected, and nothing else may be: neither a new failure nor a case
// that passes by now.
//   npm run test:all -- --only suites [-- duckdb tpch]
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../setup/root.mjs'
import { startService } from '../startService.mjs'

/**
 * @typedef {object} Started
 * @property {string} url of the service
 * @property {string} port of its Postgres protocol
 * @property {string} agent a token for `/mcp`
 * @property {string} work a folder that is removed in the end
 * @property {(path: string, body: BodyInit, type?: string) => Promise<{ status: number, text: string }>} post
 * @property {(statement: string) => Promise<import('../../server/test/suites/duckdbAlone.mjs').Answer>} ask
 */
/**
 * What came of each case: how it failed, or nothing; or a sentence that says why none was tried.
 * @typedef {(service: Started) => Promise<Map<string, string> | string>} Suite
 */

const names = [
  'duckdb',
  'tpch',
  'clickbench',
  'json',
  'files',
  'r',
  'spark',
  'mcp',
  'asyncpg',
  'psycopg',
  'sqlalchemy',
  'node-postgres',
  'postgres-js',
]
const folder = join(root, 'server/test/suites')

/** The cases that are known to fail: a line each, under a line `# ` with the reason. @param {string} name */
export function readExpected(name) {
  const path = join(folder, 'expected', `${name}.txt`)
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
  const without = lines[0]?.startsWith('# ') === false ? [`${name}.txt does not begin with a reason`] : []
  return { expected: new Set(lines.filter((line) => !line.startsWith('# '))), problems: without }
}

/** @param {Map<string, string>} cases @param {Set<string>} expected @returns {{ test: string, message: string }[]} */
export function judge(cases, expected) {
  const failures = [...cases].filter(([id, problem]) => problem && !expected.has(id))
  const over = [...expected].filter((id) => !cases.get(id))
  return [
    ...failures.map(([test, message]) => ({ test, message })),
    ...over.map((test) => ({
      test,
      message: cases.has(test)
        ? 'passes now: remove it from the list'
        : 'is no case: remove it from the list',
    })),
  ]
}

const authorization = `Basic ${Buffer.from('ada:lovelace').toString('base64')}`

/** @param {string} url @returns {Pick<Started, 'post' | 'ask'>} */
function askThe(url) {
  const post = async (
    /** @type {string} */ path,
    /** @type {BodyInit} */ body,
    type = 'application/json',
  ) => {
    const headers = { authorization, 'content-type': type, 'x-api-key': 'pk_suites' }
    for (;;) {
      const response = await fetch(new URL(path, url), { method: 'POST', headers, body })
      const text = await response.text()
      if (response.status !== 503 || !text.includes('engine-starting'))
        return { status: response.status, text }
      await sleep(100)
    }
  }
  return {
    post,
    async ask(statement) {
      const body = {
        statement,
        columns: 'objects',
        session_id: '6ba7b810-9dad-41d1-80b4-00c04fd430c8',
        cache: false,
      }
      const { status, text } = await post('/query', JSON.stringify(body))
      const [, columns, ...rows] = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      const broken = status === 200 ? rows.find((row) => !Array.isArray(row)) : JSON.parse(text)
      return broken ? { error: broken.error_code ? broken.error : broken.message } : { columns, rows }
    },
  }
}

/** @param {string[]} wanted */
async function runSuites(wanted) {
  const work = mkdtempSync(join(tmpdir(), 'waymark-suites-'))
  const failures = []
  let passed = 0
  try {
    const agent = 'the-token-of-an-agent'
    const more = ['--postgres-port', '0', '--mcp-tokens', `${agent}:persons`, '--quiet']
    const { url, output, stop } = await startService({
      data: join(work, 'data'),
      apiKeys: 'pk_suites',
      users: 'ada:lovelace',
      more,
    })
    const port = /:(\d+) \(Postgres\)/.exec(output)?.[1] ?? ''
    console.log('\n| suite | as wanted | known to differ | seconds | |\n|---|--:|--:|--:|---|')
    for (const name of wanted) {
      const startedMs = Date.now()
      const { run } = await import(join(folder, `${name}.mjs`))
      const cases = await /** @type {Suite} */ (run)({ url, port, agent, work, ...askThe(url) })
      const seconds = ((Date.now() - startedMs) / 1000).toFixed(0)
      if (typeof cases === 'string') {
        console.log(`| ${name} | not tried | | ${seconds} | ${cases} |`)
        continue
      }
      const { expected, problems } = readExpected(name)
      const found = [...problems.map((message) => ({ test: 'its list', message })), ...judge(cases, expected)]
      failures.push(...found.map((one) => ({ file: name, ...one })))
      const good = [...cases.values()].filter((problem) => !problem).length
      passed += good
      console.log(
        `| ${name} | ${good} of ${cases.size} | ${expected.size} | ${seconds} | ${found.length || ''} |`,
      )
      for (const { test, message } of found) console.log(`  ✗ ${name}: ${test}\n      ${message}`)
    }
    await stop()
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return { passed, failed: failures.length, failures }
}

const at = process.argv.indexOf('--report')
const report = at < 0 ? undefined : process.argv[at + 1]
const given = process.argv.slice(2).filter((name) => names.includes(name))
const chosen = names.filter((name) => given.length === 0 || given.includes(name))
const { passed, failed, failures } = await runSuites(chosen)
if (report) writeFileSync(report, JSON.stringify({ passed, failed, failures }))
process.exitCode = failed > 0 ? 1 : 0
