import { Agent, request } from 'node:http'

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

const post = (url, agent, body) =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const call = request(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (answer) => {
        answer.resume()
        answer.on('end', () => resolve({ status: answer.statusCode, tookMs: performance.now() - began }))
      },
    )
    call.on('error', reject)
    call.end(body)
  })

/** Keeps a number of connections busy for a while. */
export const sendLoad = async ({ url, bodies, connections, forMs }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const took = []
  const refused = {}
  const end = performance.now() + forMs
  let next = 0
  const worker = async () => {
    while (performance.now() < end) {
      const { status, tookMs } = await post(url, agent, bodies(next++))
      if (status === 200) took.push(tookMs)
      else refused[status] = (refused[status] ?? 0) + 1
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: connections }, worker))
  const seconds = (performance.now() - began) / 1000
  agent.destroy()
  took.sort((a, b) => a - b)
  return {
    perSecond: took.length / seconds,
    accepted: took.length,
    refused,
    p50: percentile(took, 0.5),
    p99: percentile(took, 0.99),
  }
}
