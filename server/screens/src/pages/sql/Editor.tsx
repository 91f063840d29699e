import { useId, useImperativeHandle, useRef, useState, useEffect } from 'preact/hooks'
import type { Ref } from 'preact'
import { moveActive, type Completion, gridPlace, isInName, noCompletion, toCompletion } from './completion'
import type { ErrorPosition } from './findErrorPosition'
import { suggest } from '../../data/assist'

const waitMs = 120

interface Completing {
  completion: Completion
  /** Asks for what could stand at the end of `before`; `isAsked` when the person wanted that by a key. */
  look: (before: string, isAsked: boolean) => void
  set: (completion: Completion) => void
  close: () => void
}

/** Suggestions of the service while somebody types. */
function useCompletion(sessionId: string, dialect: string | undefined): Completing {
  const [completion, set] = useState(noCompletion)
  const end = useRef<() => void>(() => {})
  useEffect(() => () => end.current(), [])

  const close = () => {
    end.current()
    set(noCompletion)
  }

  const look = (before: string, isAsked: boolean) => {
    end.current()
    if (!isAsked && !isInName(before)) {
      set(noCompletion)
      return
    }
    const controller = new AbortController()
    const { signal } = controller
    const ask = async () => {
      // Without suggestions the editor is an editor still, so no failure is shown.
      const suggestions = await suggest(before, { sessionId, dialect, signal }).catch(() => [])
      if (!signal.aborted) set(toCompletion(before, suggestions, isAsked))
    }
    const timer = setTimeout(() => void ask(), isAsked ? 0 : waitMs)
    end.current = () => {
      clearTimeout(timer)
      controller.abort()
    }
  }
  return { completion, look, set, close }
}

interface SuggestionsProps {
  id: string
  text: string
  completion: Completion
  accept: (index: number) => void
}

const optionId = (id: string, index: number): string => `${id}-${index}`

/** The list below the caret. The focus stays in the editor, which names the chosen option. */
function Suggestions({ id, text, completion, accept }: SuggestionsProps) {
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

export interface EditorHandle {
  /** Puts text in the place of what is selected. */
  insert: (text: string) => void
  /** Puts the caret at a place. */
  goTo: (offset: number) => void
}

interface Props {
  handle: Ref<EditorHandle>
  text: string
  change: (text: string) => void
  run: () => void
  sessionId: string
  dialect: string | undefined
  /** Where a mistake is. */
  mistake: ErrorPosition | undefined
  /** The id of what says which. */
  describedBy: string
}

const fewestLines = 8
const mostLines = 24

/** Types into the field as a person would, so that Undo takes it back. */
function typeInto(field: HTMLTextAreaElement, text: string, { start, end }: { start: number; end: number }) {
  field.focus()
  field.setSelectionRange(start, end)
  // No other way keeps the field's history of changes. It answers false where it is not supported.
  if (document.execCommand('insertText', false, text)) return
  field.setRangeText(text, start, end, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** A text field with line numbers and suggestions. Tab leaves it, as it leaves every field. */
export function Editor({ handle, text, change, run, sessionId, dialect, mistake, describedBy }: Props) {
  const id = useId()
  const listId = `${id}-list`
  const field = useRef<HTMLTextAreaElement>(null)
  const [scrolled, setScrolled] = useState({ top: 0, left: 0 })
  const { completion, look, set, close } = useCompletion(sessionId, dialect)
  const { suggestions, active } = completion
  const isOpen = suggestions.length > 0

  useImperativeHandle(handle, () => ({
    insert: (inserted) => {
      if (!field.current) return
      const { selectionStart: start, selectionEnd: end } = field.current
      typeInto(field.current, inserted, { start, end })
      close()
    },
    goTo: (offset) => {
      field.current?.focus()
      field.current?.setSelectionRange(offset, offset)
    },
  }))

  const accept = (index: number) => {
    const chosen = suggestions[index]
    if (!field.current || !chosen) return
    typeInto(field.current, chosen.suggestion.trimEnd(), { start: completion.start, end: completion.end })
    close()
  }

  const lookHere = (isAsked: boolean) => {
    const { value = '', selectionStart = 0 } = field.current ?? {}
    look(value.slice(0, selectionStart), isAsked)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    const isCommand = event.ctrlKey || event.metaKey
    const done = (action: () => void) => {
      event.preventDefault()
      action()
    }
    if (key === 'Enter' && isCommand) {
      done(run)
      close()
    } else if (key === ' ' && event.ctrlKey) done(() => lookHere(true))
    else if (!isOpen || event.isComposing) return
    else if (key === 'ArrowDown') done(() => set(moveActive(completion, 1)))
    else if (key === 'ArrowUp') done(() => set(moveActive(completion, -1)))
    else if (key === 'Enter' && active >= 0) done(() => accept(active))
    else if (key === 'Escape') done(close)
    else if (['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(key)) close()
  }

  const lines = text.split('\n').length
  return (
    <div
      class="sql-editor"
      style={{
        '--top': `${scrolled.top}px`,
        '--left': `${scrolled.left}px`,
        '--mistake': String((mistake?.line ?? 1) - 1),
        '--digits': String(String(lines).length),
      }}
    >
      <div class="sql-lines" aria-hidden="true">
        <pre>{Array.from({ length: lines }, (_, at) => at + 1).join('\n')}</pre>
        {mistake && <span class="sql-mistake" />}
      </div>
      <textarea
        ref={field}
        class="sql-field"
        aria-label="Statement"
        aria-describedby={describedBy}
        aria-invalid={mistake ? true : undefined}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={listId}
        aria-activedescendant={isOpen && active >= 0 ? optionId(listId, active) : undefined}
        aria-keyshortcuts="Control+Enter Meta+Enter Control+Space"
        rows={Math.min(mostLines, Math.max(fewestLines, lines + 1))}
        wrap="off"
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        value={text}
        onInput={(event) => {
          change(event.currentTarget.value)
          lookHere(false)
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
        onClick={close}
        onScroll={({ currentTarget: { scrollTop: top, scrollLeft: left } }) => setScrolled({ top, left })}
      />
      <Suggestions id={listId} text={text} completion={completion} accept={accept} />
      <span class="visually-hidden" role="status">
        {isOpen ? `${suggestions.length} suggestions. Down and up choose, Enter takes one.` : ''}
      </span>
    </div>
  )
}
