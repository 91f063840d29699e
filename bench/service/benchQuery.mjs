import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { basic, memoryOf, startService } from './startProcess.mjs'

const statement = (rows) =>
  `SELECT i AS id, 'name ' || (i % 1000) AS name, i % 97 AS grade, i / 7 AS share FROM range(${rows}) r(i)`

const inProcess = (rows) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [
      fileURLToPath(new URL('readInProcess.mjs', import.meta.url)),
      statement(rows),
    ])
    let text = ''
    child.stdout.on('data', (chunk) => (text += chunk))
    child.once('close', () => resolve(JSON.parse(text)))
  })

/** Reads an answer, pausing after every megabyte when it is to be slow; tells rows and time. */
const read = (url, sql, { pauseMs = 0, format } = {}) =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const call = request(
      `${url}/query`,
      { method: 'POST', headers: { authorization: basic } },
      async (answer) => {
        let lines = 0
        let sinceMs = 0
        for await (const chunk of answer) {
          for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
          sinceMs += chunk.length
          if (pauseMs > 0 && sinceMs > 1_048_576) {
            sinceMs = 0
            await delay(pauseMs)
          }
        }
        resolve({ rows: lines - 2, seconds: (performance.now() - began) / 1000 })
      },
    )
    call.on('error', reject)
    call.end(JSON.stringify({ statement: sql, format }))
  })

export const benchQuery = async () => {
  const few = 3_000_000
  const ratios = []
  const service = await startService()
  await read(service.url, statement(few))
  for (let round = 0; round < 3; round++) {
    const control = await inProcess(few)
    const { rows, seconds } = await read(service.url, statement(few))
    const arrow = (await read(service.url, statement(few), { format: 'arrow' })).seconds / seconds
    ratios.push({ ours: rows / seconds, control, share: rows / seconds / control.library, arrow })
  }
  ratios.sort((a, b) => a.share - b.share)
  const { ours, control, share } = ratios[1]
  const arrow = ratios.map((each) => each.arrow).toSorted((a, b) => a - b)[1]
  await service.stop()

  const fresh = await startService()
  await read(fresh.url, statement(1_000_000))
  const before = memoryOf(fresh.pid).peakMiB
  const many = await read(fresh.url, statement(50_000_000))
  const after = memoryOf(fresh.pid).peakMiB
  await read(fresh.url, statement(5_000_000), { pauseMs: 20 })
  const slow = memoryOf(fresh.pid).peakMiB
  await fresh.stop()
  const k = (value) => `${Math.round(value / 1000)} k`
  return [
    [
      'query: rows a second of the same query in process',
      '≥ 80 %',
      `${(share * 100).toFixed(0)} % (${k(ours)} of ${k(control.library)}; read as the service reads, without HTTP: ${k(control.service)})`,
      share >= 0.8,
    ],
    [
      'query: time of the same rows as Arrow, of that as NDJSON',
      '≤ 100 %',
      `${(arrow * 100).toFixed(0)} %`,
      arrow <= 1,
    ],
    [
      'query: peak RSS from 1 M to 50 M rows',
      'flat (≤ 1.3 ×)',
      `${before} → ${after} MiB, ${many.rows} rows`,
      after <= 1.3 * before,
    ],
    ['query: peak RSS after a slow client', 'flat (≤ 1.3 ×)', `${slow} MiB`, slow <= 1.3 * before],
  ]
}
