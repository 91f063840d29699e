/** The nth wait is at most `3 s * 2^n`, and never longer than this. */
const longestMs = 5 * 60_000

/**
 * How long to wait after `failures` failures in a row, in milliseconds: exponential, with full jitter above a
 * quarter. The floor is what keeps an outage of 20 s to six requests even for the unluckiest tab
 * (0.75 + 1.5 + 3 + 6 + 12 s > 20 s), and what spreads tabs all the same.
 */
export const backOff = (failures: number, random: number, retryAfterMs = 0): number => {
  const most = Math.min(longestMs, 1500 * 2 ** failures)
  // A little jitter above Retry-After too, or every visitor comes back in the same millisecond.
  return retryAfterMs > 0 ? Math.min(retryAfterMs, 3_600_000) + random * 1000 : most * (0.25 + 0.75 * random)
}

/** A visitor whom the service never answered asks this often in one session: a blocker stands there, as a rule. */
const mostMisses = 6

/** How long such a visitor waits: five times as long after each miss, and after the last until the next session. */
export const backOffUnheard = (misses: number, random: number) =>
  misses < mostMisses ? 600 * 5 ** misses * (0.5 + 0.5 * random) : Infinity
