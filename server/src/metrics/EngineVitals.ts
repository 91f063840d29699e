/** What the engine reports about itself every second. */
export interface EngineVitals {
  residentBytes: number
  cpuSeconds: number
  queries: QueryCounts
}

/** Counts queries by HTTP and by the Postgres protocol since the engine started. */
export interface QueryCounts {
  waiting: number
  running: number
  completed: number
  failed: number
  cancelled: number
}

export const noQueries: Readonly<QueryCounts> = {
  waiting: 0,
  running: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
}

export const processVitals = (): Omit<EngineVitals, 'queries'> => {
  const { user, system } = process.cpuUsage()
  return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 }
}
