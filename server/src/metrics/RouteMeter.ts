/** The bounds of the buckets reach from the time of a batch of events to the time that an upload may take. */
export const boundsSeconds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
] as const

/** Counts the answers of one route in plain numbers, because it is written for each request and read only once a scrape. */
export class RouteMeter {
  readonly byStatus = new Map<number, number>()
  /** The number of answers up to each bound and above the one before. The last number is for answers above all bounds. */
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

/** The meter of one route, with the route's name. */
export interface MeteredRoute {
  method: string
  path: string
  meter: RouteMeter
}
