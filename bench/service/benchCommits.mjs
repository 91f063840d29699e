import { randomBytes } from 'node:crypto'
import { runnerImport } from 'vite'

/** What a request of 20 events takes. */
const requestBytes = 8600
const rowsPerRequest = 20
const writerCounts = [1, 2, 4, 8]
const groupSizes = [1, 16, 64]
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const forMs = Number(process.env.BENCH_MS ?? 1000)

const tables = `
  CREATE TABLE head (last bigint NOT NULL) WITH (fillfactor = 10);
  INSERT INTO head VALUES (0);
  CREATE TABLE log (last bigint PRIMARY KEY, rows int NOT NULL, body bytea NOT NULL);
  ALTER TABLE log ALTER body SET STORAGE EXTERNAL;
  CREATE TABLE concurrent (id bigserial PRIMARY KEY, rows int NOT NULL, body bytea NOT NULL);
  ALTER TABLE concurrent ALTER body SET STORAGE EXTERNAL;`

/** One statement each; the first holds the row of `head` until its commit has reached the quorum. */
const appends = {
  head: `
    WITH place AS (UPDATE head SET last = last + $1 RETURNING last)
    INSERT INTO log SELECT last, $1, $2 FROM place RETURNING last`,
  concurrent: `INSERT INTO concurrent (rows, body) VALUES ($1, $2) RETURNING id`,
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

/** Some writers, each with one group under way. */
const write = async (clients, name, requests) => {
  const body = randomBytes(requests * requestBytes)
  const rows = requests * rowsPerRequest
  const took = []
  const began = performance.now()
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - began < forMs) {
        const sent = performance.now()
        await client.query({ name, text: appends[name], values: [rows, body] })
        took.push(performance.now() - sent)
      }
    }),
  )
  return { took, ms: performance.now() - began, rows: took.length * rows }
}

const summarise = (runs) => {
  const took = runs.flatMap((run) => run.took).toSorted((a, b) => a - b)
  const sum = (of) => runs.reduce((total, run) => total + of(run), 0)
  return {
    perSecond: sum((run) => run.rows) / (sum((run) => run.ms) / 1000),
    p50: percentile(took, 0.5),
    p99: percentile(took, 0.99),
  }
}

const show = ({ perSecond, p50, p99 }) =>
  `${(perSecond / 1000).toFixed(1)} k rows/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`

/** What it costs that groups become visible in the order of their numbers: plain clients, no service. */
export const benchCommits = async () => {
  const { module } = await runnerImport('server/test/cluster/startCluster.ts')
  const cluster = await module.startCluster()
  const lines = []
  try {
    const clients = await Promise.all(Array.from({ length: 8 }, () => cluster.primary.connect()))
    await clients[0].query(tables)
    for (const requests of groupSizes) {
      for (const writers of writerCounts) {
        const runs = { head: [], concurrent: [] }
        for (let round = 0; round < rounds; round++)
          for (const name of Object.keys(runs))
            runs[name].push(await write(clients.slice(0, writers), name, requests))
        await clients[0].query('TRUNCATE log, concurrent')
        const [head, concurrent] = [summarise(runs.head), summarise(runs.concurrent)]
        lines.push([
          `commits: ${writers} writers, groups of ${requests} requests: one after the other, against concurrent inserts`,
          'none',
          `${((100 * head.perSecond) / concurrent.perSecond).toFixed(0)} %
         in order: ${show(head)}
         concurrent: ${show(concurrent)}`,
          true,
        ])
      }
    }
    for (const client of clients) await client.end()
  } finally {
    await cluster.close()
  }
  return lines
}
