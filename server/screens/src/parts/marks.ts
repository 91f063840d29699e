/** A text at a time, such as a release or somebody's note. */
export interface ChartMark {
  /** In Unix seconds, as `x`. */
  time: number
  text: string
}

/** The place on the x axis that a time belongs to: the last one that has begun. -1 for a time before all. */
const placeOf = (time: number, x: readonly number[]): number => x.findLastIndex((each) => each <= time)

/** The marks of each place that has some. What happened before the first place is left out. */
export function marksByPlace(marks: readonly ChartMark[], x: readonly number[]): Map<number, ChartMark[]> {
  const places = new Map<number, ChartMark[]>()
  for (const mark of marks.toSorted((a, b) => a.time - b.time)) {
    const place = placeOf(mark.time, x)
    if (place >= 0) places.set(place, [...(places.get(place) ?? []), mark])
  }
  return places
}
