import { useId, useImperativeHandle, useRef, useState } from 'preact/hooks'
import type { Ref } from 'preact'
import { moveActive } from './completion'
import type { ErrorPosition } from './findErrorPosition'
import { optionId, Suggestions } from './Suggestions'
import { useCompletion } from './useCompletion'

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
