import { query, startService } from './startProcess.mjs'

const ids = 250_000
const events = 1_000_000
const perRequest = 2000

const post = async (url, path, list) => {
  const response = await fetch(`${url}${path}?apiKey=key`, { method: 'POST', body: JSON.stringify(list) })
  if (response.status !== 200) throw new Error(await response.text())
}

const timed = async (url, statement) => {
  const took = []
  let answer
  for (let round = 0; round < 9; round++) {
    const began = performance.now()
    answer = (await query(url, statement))[0][0]
    took.push(performance.now() - began)
  }
  took.sort((a, b) => a - b)
  return { ms: took[4], answer }
}

/** Half of the ids are anonymous ones, each linked to a user of the other half. */
export const benchPersons = async () => {
  const service = await startService()
  const { url } = service
  for (let first = 0; first < events; first += perRequest) {
    const list = Array.from({ length: perRequest }, (_, at) => {
      const id = (first + at) % ids
      const half = ids / 2
      const both =
        id >= half
          ? { distinct_id: `user-${id - half}`, anonymous_id: `anonymous-${id - half}` }
          : { distinct_id: `anonymous-${id}` }
      return { environment: 'production', event: 'seen', properties: {}, ...both }
    })
    await post(url, '/track', list)
  }
  while ((await query(url, 'SELECT count(*) FROM events'))[0][0] < events)
    await new Promise((resolve) => setTimeout(resolve, 100))

  const plain = await timed(
    url,
    'SELECT count(DISTINCT coalesce(distinct_id, anonymous_id)) FROM analytics.raw.events',
  )
  const resolved = await timed(url, 'SELECT count(DISTINCT person_id) FROM events')
  const began = performance.now()
  for (let step = 0; step < 50; step++) {
    const list = [{ environment: 'production', distinct_id: `user-${step}`, new_user_id: `user-${step + 1}` }]
    const response = await fetch(`${url}/alias?apiKey=key&sync=true`, {
      method: 'POST',
      body: JSON.stringify(list),
    })
    await response.text()
  }
  const alias = (performance.now() - began) / 50
  await service.stop()
  const ratio = resolved.ms / plain.ms
  return [
    [
      'persons: distinct persons over 1 M events, 250 k ids',
      '≤ 3 × without resolution',
      `${ratio.toFixed(1)} × (${resolved.ms.toFixed(0)} ms for ${resolved.answer}, ${plain.ms.toFixed(0)} ms for ${plain.answer})`,
      ratio <= 3,
    ],
    ['persons: one alias of a chain, applied before the answer', 'no target', `${alias.toFixed(0)} ms`, true],
  ]
}
