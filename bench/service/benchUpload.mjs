import { request } from 'node:http'
import { basic, memoryOf, query, startService } from './startProcess.mjs'

const memoryLimitMiB = 1024
const bytes = 1_000_000_000

/** A gigabyte of CSV, made while it is sent. */
const send = (url) =>
  new Promise((resolve, reject) => {
    const path = '/upload?catalog=lakehouse&schema=main&table=big&mode=create&format=csv'
    const call = request(url + path, { method: 'POST', headers: { authorization: basic } }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += chunk))
      answer.on('end', () => resolve({ status: answer.statusCode, body: JSON.parse(text) }))
    })
    call.on('error', reject)
    let sent = 0
    let row = 0
    call.write('id,name,grade,share\n')
    const more = () => {
      while (sent < bytes) {
        const lines = Array.from(
          { length: 5000 },
          () => `${row++},customer number ${row},${row % 97},${row / 7}\n`,
        ).join('')
        sent += lines.length
        if (!call.write(lines)) return call.once('drain', more)
      }
      call.end()
    }
    more()
  })

export const benchUpload = async () => {
  const service = await startService(['--memory-limit', `${memoryLimitMiB}MiB`])
  const began = performance.now()
  const { status, body } = await send(service.url)
  const seconds = (performance.now() - began) / 1000
  const { peakMiB } = memoryOf(service.pid)
  const rows =
    status === 200 ? (await query(service.url, 'SELECT count(*) FROM big'))[0][0] : JSON.stringify(body)
  await service.stop()
  const good = status === 200 && rows === body.rows && peakMiB < 2 * memoryLimitMiB
  return [
    [
      'upload: peak RSS of 1 GB of CSV',
      `< ${2 * memoryLimitMiB} MiB (twice memory_limit)`,
      `${peakMiB} MiB, ${rows} rows in ${seconds.toFixed(0)} s`,
      good,
    ],
  ]
}
