import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { basic, startService } from './startProcess.mjs'

const endless = 'SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE (a.range * b.range) % 7 = 3'

export const benchCancel = async (rounds = 40) => {
  const service = await startService()
  const headers = { authorization: basic }
  const took = []
  for (let round = 0; round < rounds; round++) {
    const id = randomUUID()
    const body = JSON.stringify({ statement: endless, query_id: id, session_id: 'bench' })
    const answer = fetch(`${service.url}/query`, { method: 'POST', headers, body }).then((response) =>
      response.text(),
    )
    await delay(60 + (round % 5) * 30)
    const began = performance.now()
    await (await fetch(`${service.url}/query/${id}?session_id=bench`, { method: 'DELETE', headers })).text()
    await answer
    took.push(performance.now() - began)
  }
  await service.stop()
  took.sort((a, b) => a - b)
  const median = took[took.length >> 1]
  return [
    [
      'cancel: from DELETE to the end of the query',
      'median < 100 ms',
      `median ${median.toFixed(0)} ms, worst ${took.at(-1).toFixed(0)} ms of ${rounds}`,
      median < 100,
    ],
  ]
}
