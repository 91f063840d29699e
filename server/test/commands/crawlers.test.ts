import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { runWaymark } from '../fixtures/runWaymark.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const gptbot = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2)'
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36'

const nginx = (
  path: string,
  { agent = gptbot, at = '27/Nov/2026:23:51:02 +0100', status = 200, method = 'GET' } = {},
) => `203.0.113.7 - - [${at}] "${method} ${path} HTTP/2.0" ${status} 512 "-" "${agent}"\n`
const caddy = (uri: string, { agent = googlebot, type = 'text/html; charset=utf-8' } = {}) =>
  `${JSON.stringify({
    level: 'info',
    ts: 1_795_819_862.25,
    logger: 'http.log.access',
    request: {
      remote_ip: '203.0.113.7',
      method: 'GET',
      host: 'shop.example',
      uri,
      headers: { 'User-Agent': [agent] },
      tls: {},
    },
    status: 200,
    resp_headers: { 'Content-Type': [type] },
  })}\n`

let files = 0
const run = (log: string | Buffer, ...words: string[]) => {
  const file = join(service.folder, `access-${++files}.log`)
  writeFileSync(file, log)
  return runWaymark('crawlers', file, '--url', service.url, '--user', 'ada:lovelace', ...words)
}
const read = async (environment: string) =>
  (
    await service.query(
      `SELECT bot, path, epoch_ms("timestamp"), count(*)::INTEGER FROM events
       WHERE environment = '${environment}' GROUP BY ALL ORDER BY ALL`,
    )
  ).rows

const at = Date.UTC(2026, 10, 27, 22, 51, 2)

it('counts the pages that crawlers read, each line of a growing log once, and takes them back', async () => {
  const log = [
    nginx('/maps/1?token=secret'),
    nginx('/maps/1?token=secret'),
    nginx('/', { agent: googlebot }),
    nginx('/', { agent: chrome }),
    nginx('/app.js'),
    nginx('/gone', { status: 404 }),
    nginx('/order', { method: 'POST' }),
  ].join('')
  const first = await run(log, '--site', 'shop.example')
  expect(first).toMatchObject({ code: 0, problems: '' })
  expect(first.lines[0]).toBe('3 of 7 lines are pages that crawlers read.')
  const stored = [
    ['AI crawler GPTBot', '/maps/1', at, 2],
    ['crawler Googlebot', '/', at, 1],
  ]
  expect(await read('production')).toEqual(stored)
  const { rows } = await service.query(
    `SELECT DISTINCT url, person_id FROM events WHERE bot = 'AI crawler GPTBot'`,
  )
  expect(rows).toEqual([['https://shop.example/maps/1', 'crawler gptbot']])

  const later = nginx('/maps/2', { at: '27/Nov/2026:23:52:02 +0100' })
  const second = await run(gzipSync(log + later), '--site', 'shop.example')
  expect(second.problems).toBe('')
  const more = ['AI crawler GPTBot', '/maps/2', at + 60_000, 1]
  expect(await read('production')).toEqual([stored[0], more, stored[1]])

  const [imported = ''] = /crawlers-[0-9a-f]{12}/.exec(second.lines.at(-1) ?? '') ?? []
  expect(
    (await runWaymark('import', 'undo', imported, '--url', service.url, '--user', 'ada:lovelace')).code,
  ).toBe(0)
  expect(await read('production')).toEqual(stored)
})

it('reads Caddy’s JSON, with its hosts and types', async () => {
  const log =
    caddy('/maps/1?x=1') + caddy('/feed', { type: 'application/json' }) + caddy('/', { agent: chrome })
  const { lines, problems } = await run(log, '--environment', 'staging')
  expect([lines[0], problems]).toEqual(['1 of 3 lines are pages that crawlers read.', ''])
  expect(await read('staging')).toEqual([['crawler Googlebot', '/maps/1', 1_795_819_862_250, 1]])
})

it('stores nothing when it is asked what it would do', async () => {
  const before = await read('staging')
  const { code, lines } = await run(nginx('/dry'), '--environment', 'staging', '--dry-run')
  expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining('1 of 1 rows are events')])
  expect(await read('staging')).toEqual(before)
})

it('says how many lines are of another format, and stores the others', async () => {
  const log = `${nginx('/mixed')}\nnot a request\n{"level":"warn","msg":"no request"}\n[27/Nox/2026:23:51:02 +0100]`
  const { lines, code } = await run(log, '--environment', 'staging')
  expect([code, lines[0]]).toEqual([0, expect.stringMatching(/^ {2}left out: 3 of 4 lines are .* line 3$/)])
  expect((await read('staging')).map(([, path]) => path)).toContain('/mixed')
})

it.each([
  ['nothing of the kind\n'.repeat(3), 1, '3 of 3 lines are neither in the combined format'],
  [gzipSync(nginx('/cut').repeat(100)).subarray(0, 60), 1, 'cannot be read'],
])('tells in a sentence what is no access log', async (log, code, problem) => {
  expect(await run(log)).toMatchObject({ code, problems: expect.stringContaining(problem) })
})

it.each([
  [['/nowhere/access.log'], 1, '/nowhere/access.log cannot be read'],
  [[], 2, 'The log is missing.'],
])('tells in a sentence what is wrong with %j', async (words, code, problem) => {
  const given = [...words, '--url', service.url, '--user', 'ada:lovelace']
  expect(await runWaymark('crawlers', ...given)).toMatchObject({
    code,
    problems: expect.stringContaining(problem),
  })
})
