import { useMemo } from 'preact/hooks'
import { newReleases } from '../data/releases'
import { useAnswer } from '../data/useAnswer'
import { useScope } from '../shell/scope'
import type { ChartMark } from './marks'

/** The releases of the time in the header, as marks for a chart. */
export function useReleaseMarks(): readonly ChartMark[] {
  const scope = useScope()
  const { answer } = useAnswer(
    useMemo(() => newReleases(scope), [scope]),
    { askedAt: scope.now },
  )
  return useMemo(
    () =>
      (answer?.rows ?? []).map(([release, time]) => ({
        time: Date.parse(String(time)) / 1000,
        text: `Release ${String(release)}`,
      })),
    [answer],
  )
}
