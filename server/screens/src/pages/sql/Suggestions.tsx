import { useEffect, useRef } from 'preact/hooks'
import { type Completion, gridPlace } from './completion'

interface Props {
  id: string
  text: string
  completion: Completion
  accept: (index: number) => void
}

export const optionId = (id: string, index: number): string => `${id}-${index}`

/** The list below the caret. The focus stays in the editor, which names the chosen option. */
export function Suggestions({ id, text, completion, accept }: Props) {
  const { suggestions, active, start } = completion
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])

  const { line, column } = gridPlace(text, start)
  return (
    <ul
      ref={list}
      id={id}
      class="sql-suggestions"
      role="listbox"
      aria-label="Suggestions"
      hidden={suggestions.length === 0}
      style={{ '--line': String(line), '--column': String(column) }}
    >
      {suggestions.map(({ suggestion, suggestion_type: type }, index) => (
        <li
          key={`${type} ${suggestion}`}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          // A click must not take the focus out of the editor.
          onMouseDown={(event) => {
            event.preventDefault()
            accept(index)
          }}
        >
          <span class="code">{suggestion}</span> <span class="soft">{type.replaceAll('_', ' ')}</span>
        </li>
      ))}
    </ul>
  )
}
