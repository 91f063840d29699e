import { basic, query, startService } from './startProcess.mjs'

const rows = Number(process.env.BENCH_ROWS ?? 20_000_000)
const seconds = Number(process.env.BENCH_SECONDS ?? 20)
const small = 'SELECT count(*), sum(a) FROM few WHERE b = 7'
const large = 'SELECT sum(n) FROM (SELECT h % 3000000 AS k, count(*) AS n FROM many GROUP BY k)'

const at = (list, share) => list.toSorted((a, b) => a - b)[Math.floor(share * (list.length - 1))]

const ask = async (url, statement, compute_size) => {
  const began = performance.now()
  const response = await fetch(`${url}/query`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify({ statement, compute_size, cache: false, ephemeral: true }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return performance.now() - began
}

/** Small questions one after the other while clients ask large ones without a pause. */
const measure = async (url, { clients, smallSize, largeSize }) => {
  const until = performance.now() + seconds * 1000
  const isOver = () => performance.now() > until
  let largeOnes = 0
  const others = Array.from({ length: clients }, async () => {
    while (!isOver()) {
      await ask(url, large, largeSize)
      largeOnes++
    }
  })
  const took = []
  while (!isOver()) took.push(await ask(url, small, smallSize))
  await Promise.all(others)
  return { p50: at(took, 0.5), p99: at(took, 0.99), worst: Math.max(...took), count: took.length, largeOnes }
}

/** How long small questions take beside large ones, by what they say in `compute_size`. */
export const benchSizes = async () => {
  const service = await startService()
  const { url } = service
  await query(url, `CREATE TABLE many AS SELECT hash(i) AS h FROM range(${rows}) r(i)`)
  await query(url, 'CREATE TABLE few AS SELECT i AS a, i % 100 AS b FROM range(100000) r(i)')
  const table = {}
  const run = async (name, given) => {
    table[name] = await measure(url, given)
    const cells = Object.entries(table[name]).map(([key, value]) => `${key} ${value.toFixed(0)}`)
    console.log(`${name.padEnd(44)} ${cells.join(', ')}`)
    return table[name]
  }
  const alone = await run('alone', { clients: 0 })
  const ratios = {}
  for (const clients of [4, 20]) {
    const before = await run(`${clients} large, nothing said`, { clients })
    const xs = await run(`${clients} large, the small say XS`, { clients, smallSize: 'XS' })
    const both = await run(`${clients} large say XL, the small XS`, {
      clients,
      smallSize: 'XS',
      largeSize: 'XL',
    })
    ratios[clients] = {
      xs: before.p99 / xs.p99,
      both: before.p99 / both.p99,
      large: both.largeOnes / before.largeOnes,
    }
    console.log(
      `p99 of the small, in p99 alone: ${[before, xs, both].map((each) => (each.p99 / alone.p99).toFixed(1)).join(', ')}`,
    )
  }
  await service.stop()
  return Object.entries(ratios).map(([clients, { xs, both, large: done }]) => [
    `sizes: p99 of small questions beside ${clients} clients with large ones, as XS beside XL`,
    'a third of what it is without sizes, and as many large ones are answered',
    `${both.toFixed(1)} times less (XS alone ${xs.toFixed(1)}), ${(100 * done).toFixed(0)} % of the large ones`,
    both >= 3,
  ])
}
