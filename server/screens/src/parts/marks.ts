import { useMemo } from 'preact/hooks'
import type { Period } from '../data/asks'
import { useSaved } from '../data/saved'
import { askOf } from '../data/asks'
import { useShown } from '../data/shownAsks'
import { useAnswer } from '../data/useAnswer'
import { useScope } from '../address/scope'

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

/** The releases of the time in the header, as marks for a chart. */
function useReleaseMarks(): readonly ChartMark[] {
  const scope = useScope()
  const ask = askOf('releases', { ...scope, filters: [] })
  useShown(ask)
  const { answer } = useAnswer(ask, { askedAt: scope.now })
  return useMemo(
    () =>
      (answer?.rows ?? []).map(([release, time]) => ({
        time: Date.parse(String(time)) / 1000,
        text: `Release ${String(release)}`,
      })),
    [answer],
  )
}

/** What users have noted at times of a period, to be drawn into a chart of it. */
export function useAnnotationMarks({ from, until }: Period): readonly ChartMark[] {
  const annotations = useSaved('annotation')
  return useMemo(
    () =>
      annotations
        .map(({ value: { at, text } }) => ({ time: Date.parse(at) / 1000, text }))
        .filter(({ time }) => time * 1000 >= from.getTime() && time * 1000 < until.getTime()),
    [annotations, from, until],
  )
}

/** What is drawn into a chart of a period: what users have noted, and new releases. */
export function useMarks(period: Period): readonly ChartMark[] {
  const releases = useReleaseMarks()
  const annotations = useAnnotationMarks(period)
  return useMemo(() => [...releases, ...annotations], [releases, annotations])
}
