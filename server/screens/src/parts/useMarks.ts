import { useMemo } from 'preact/hooks'
import type { Period } from '../shell/timeRange'
import type { ChartMark } from './marks'
import { useAnnotationMarks } from './useAnnotationMarks'
import { useReleaseMarks } from './useReleaseMarks'

/** What is drawn into a chart of a period: what users have noted, and new releases. */
export function useMarks(period: Period): readonly ChartMark[] {
  const releases = useReleaseMarks()
  const annotations = useAnnotationMarks(period)
  return useMemo(() => [...releases, ...annotations], [releases, annotations])
}
