import { useMemo } from 'preact/hooks'
import { useSaved } from '../data/saved'
import type { Period } from '../shell/timeRange'
import type { ChartMark } from './marks'

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
