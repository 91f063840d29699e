import { useLayoutEffect, useRef, useMemo } from 'preact/hooks'
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

interface Props {
  label: string
  value: string
  /** The id of a `ChoiceList`. */
  list: string
  placeholder?: string
  choose: (value: string) => void
}

/** A field for a name: one of the list, or any other. It is taken when the field is left, by Enter, or by a pick. */
export function ChoiceInput({ label, value, list, placeholder, choose }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const show = () => {
    if (field.current) field.current.value = value
  }
  // As a property it would be set whenever the page is drawn, over what is being typed.
  useLayoutEffect(show, [value])
  const take = () => {
    const next = field.current?.value.trim() ?? ''
    if (next === value) return
    // The new value comes as a property; where none comes, the field is for the next name.
    show()
    choose(next)
  }
  return (
    <input
      ref={field}
      class="choice"
      type="text"
      aria-label={label}
      list={list}
      placeholder={placeholder}
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
      onChange={take}
      // So browsers name the change when one of the list is picked.
      onInput={(event) => event.inputType === 'insertReplacementText' && take()}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        // Else Enter is a change, too, and the name is taken twice.
        event.preventDefault()
        take()
      }}
    />
  )
}
