export const rounds = 5
const steps = `['$pageview', 'Map Viewed', 'Added to Basket', 'Order Placed']`

/** What is asked in a range; without one, of all the half year. */
export const questionsIn = (range) => {
  const [more, all] = range === undefined ? ['', ''] : [`, ${range}`, range]
  return {
    funnel: `FROM funnel(${steps}, INTERVAL 7 DAY${more})`,
    retention: `FROM retention('$pageview', '$pageview', '${range === undefined ? 'week' : 'day'}'${more})`,
    sessions: `SELECT entry, utm_source, count(*), avg(duration_seconds) FROM sessions(${all || 'NULL, NULL'}) GROUP BY ALL`,
    daily: `FROM daily(${all === '' ? '' : `${all}, `}time_zone := 'Europe/Berlin')`,
    breakdown: `FROM breakdown(${range === undefined ? "'$pageview', '$utm_source'" : "'Map Viewed', 'sku'"}${more})`,
    paths: `FROM paths('/', 3${more})`,
    'first touch': `SELECT utm_source, count(*) FROM first_touch(${all}) GROUP BY ALL`,
  }
}

export const medianOf = async (work) => {
  const took = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    took.push({ ms: performance.now() - began, cpuMs: (user + system) / 1000 })
  }
  const middle = (of) => took.map(of).toSorted((a, b) => a - b)[rounds >> 1]
  return { ms: middle(({ ms }) => ms), cpuMs: middle(({ cpuMs }) => cpuMs) }
}
