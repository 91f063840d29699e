import { Agent, request } from 'node:http'

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

/** What a browser sends, which the service reads. */
const headers = {
  'content-type': 'application/json',
  'user-agent':
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  'sec-ch-ua': '"Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
  'accept-language': 'de-AT,de;q=0.9,en;q=0.8',
}

const post = (url, agent, body) =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const call = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      const retry = answer.headers['retry-after'] === undefined ? '' : ' with Retry-After'
      const outcome = `${answer.statusCode}${retry}`
      answer.on('end', () => resolve({ outcome, tookMs: performance.now() - began }))
    })
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
      const { outcome, tookMs } = await post(url, agent, bodies(next++))
      if (outcome === '200') took.push(tookMs)
      else refused[outcome] = (refused[outcome] ?? 0) + 1
    }
  }
  const cpu = process.cpuUsage()
  const began = performance.now()
  await Promise.all(Array.from({ length: connections }, worker))
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(cpu)
  agent.destroy()
  took.sort((a, b) => a - b)
  return {
    perSecond: took.length / seconds,
    accepted: took.length,
    seconds,
    /** The processor time of the generator, which has the machine's two cores in common with what it measures. */
    cpuMs: (user + system) / 1000,
    refused,
    p50: percentile(took, 0.5),
    p99: percentile(took, 0.99),
  }
}
