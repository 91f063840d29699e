/** In seconds: from what a batch of events takes to what an upload may. */
export const boundsSeconds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
] as const

/** Counts the answers of one route in plain numbers: it is asked for each event, and read once a scrape. */
export class RouteMeter {
  readonly byStatus = new Map<number, number>()
  /** How many took at most as long as each bound says and longer than the one before; the last took longer than all. */
  readonly buckets = new Float64Array(boundsSeconds.length + 1)
  seconds = 0

  note(status: number, seconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    this.seconds += seconds
    let at = 0
    while (at < boundsSeconds.length && seconds > boundsSeconds[at]!) at++
    this.buckets[at]!++
  }
}

/** The answers of one route, as they are told. */
export interface MeteredRoute {
  method: string
  path: string
  meter: RouteMeter
}
