import { useContext, useEffect, useLayoutEffect, useRef, useMemo } from 'preact/hooks'
import type { Ask } from '../data/asks'
import { isFixed } from '../data/guest'
import { useAnswer } from '../data/useAnswer'
import { formatCount } from './format'
import { OneCard } from './oneCard'

interface ChoicesProps {
  id: string
  /** Names, with how often there is one. */
  choices: readonly (readonly [name: string, times: number | undefined])[]
}

/** What inputs with `list={id}` suggest. */
export const Choices = ({ id, choices }: ChoicesProps) => (
  <datalist id={id}>
    {choices.map(([name, times]) => (
      <option key={name} value={name} {...(times === undefined ? {} : { label: formatCount(times) })} />
    ))}
  </datalist>
)

interface ListProps {
  id: string
  ask: Ask
  /** How a name is shown; by default as it is. */
  show?: (name: string) => string
  /** Names before those of the answer. */
  first?: readonly string[]
}

/** What inputs with `list={id}` suggest: rows of a name and how often there is one. */
export function ChoiceList({ id, ask, show = (name) => name, first = [] }: ListProps) {
  // Where nothing can be chosen, nothing is suggested.
  const isAlone = useContext(OneCard) !== undefined
  const { answer } = useAnswer(isFixed() || isAlone ? undefined : ask)
  const choices = useMemo(
    () => [
      ...first.map((name) => [name, undefined] as const),
      ...(answer?.rows.map(([name, times]) => [show(String(name)), Number(times)] as const) ?? []),
    ],
    [answer],
  )
  return <Choices id={id} choices={choices} />
}

interface Props {
  label: string
  value: string
  /** The id of a `ChoiceList`. */
  list: string
  placeholder?: string
  /** Is told what has been typed so far, when the typing pauses. */
  typing?: (text: string) => void
  choose: (value: string) => void
}

/** Whoever types faster is not done with a word. */
const pauseMs = 200

/** A field for a name: one of the list, or any other. It is taken when the field is left, by Enter, or by a pick. */
export function ChoiceInput({ label, value, list, placeholder, typing, choose }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const pause = useRef(0)
  useEffect(() => () => clearTimeout(pause.current), [])
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
    clearTimeout(pause.current)
    typing?.('')
    choose(next)
  }
  const tell = (text: string) => {
    clearTimeout(pause.current)
    if (typing) pause.current = window.setTimeout(() => typing(text), pauseMs)
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
      onInput={(event) => {
        // So browsers name the change when one of the list is picked.
        if (event.inputType === 'insertReplacementText') take()
        else tell(event.currentTarget.value.trim())
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        // Else Enter is a change, too, and the name is taken twice.
        event.preventDefault()
        take()
      }}
    />
  )
}
