import { useMemo } from 'preact/hooks'
import { askOf } from '../data/asks'
import { useShown } from '../data/shownAsks'
import { useAnswer } from '../data/useAnswer'
import { useScope } from '../shell/scope'
import type { ChartMark } from './marks'

/** The releases of the time in the header, as marks for a chart. */
export function useReleaseMarks(): readonly ChartMark[] {
  const scope = useScope()
  const ask = askOf('releases', scope)
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
