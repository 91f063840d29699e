import { useMemo } from 'preact/hooks'
import type { Ask } from '../data/asks'
import { isFixed } from '../data/guest'
import { useAnswer } from '../data/useAnswer'
import { formatCount } from './format'

/** What inputs with `list={id}` suggest: rows of a name and how often there is one. */
export function ChoiceList({ id, ask }: { id: string; ask: Ask }) {
  // Where nothing can be chosen, nothing is suggested.
  const { answer } = useAnswer(isFixed() ? undefined : ask)
  const options = useMemo(
    () => answer?.rows.map(([name, times]) => [String(name), formatCount(Number(times))] as const) ?? [],
    [answer],
  )
  return (
    <datalist id={id}>
      {options.map(([name, times]) => (
        <option key={name} value={name} label={times} />
      ))}
    </datalist>
  )
}
