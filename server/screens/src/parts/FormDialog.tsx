import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Problem } from '../data/Problem'

interface Props {
  title: string
  /** What the button says. @defaultValue Save */
  action?: string
  /** Is given the fields by their names, without blanks around them. What it throws is told. */
  save: (fields: Record<string, string>) => Promise<void>
  remove?: (() => Promise<void>) | undefined
  /** Takes the dialog away. */
  close: () => void
  children: ComponentChildren
}

/** A form over the page. It stays, with what was written, until that is saved or given up. */
export function FormDialog({ title, action = 'Save', save, remove, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [message, setMessage] = useState('')
  const [isBusy, setBusy] = useState(false)
  useEffect(() => dialog.current?.showModal(), [])

  const doIt = async (work: () => Promise<void>) => {
    setBusy(true)
    setMessage('')
    try {
      await work()
      dialog.current?.close()
    } catch (error) {
      // The login form cannot be reached below a dialog.
      if (error instanceof Problem && error.kind === 'login') dialog.current?.close()
      setMessage(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const fields = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()])
    void doIt(() => save(Object.fromEntries(fields) as Record<string, string>))
  }

  return (
    <dialog ref={dialog} class="sql-dialog form-dialog" aria-label={title} onClose={close}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        {children}
        <p class="form-message" role="alert">
          {message}
        </p>
        <p class="buttons">
          <button class="button strong" disabled={isBusy}>
            {action}
          </button>
          <button class="button" type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          {remove && (
            <button class="button remove" type="button" disabled={isBusy} onClick={() => void doIt(remove)}>
              Remove
            </button>
          )}
        </p>
      </form>
    </dialog>
  )
}

const selectAll = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
  currentTarget.select()

interface ShownProps {
  title: string
  value: string
  /** It is a line of a page's source, which is long. */
  isSource?: boolean
  close: () => void
  children?: ComponentChildren
}

/** The one time that a link or a key is shown. */
export function ShownOnce({ title, value, isSource = false, close, children }: ShownProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isCopied, setCopied] = useState(false)
  useEffect(() => dialog.current?.showModal(), [])
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setCopied(true)
  }
  return (
    <dialog ref={dialog} class="sql-dialog form-dialog" aria-label={title} onClose={close}>
      <form method="dialog">
        <h2>{title}</h2>
        <label>
          Copy it now: it is shown only once
          {isSource ? (
            <textarea rows={4} value={value} readOnly spellcheck={false} onFocus={selectAll} />
          ) : (
            <input value={value} readOnly onFocus={selectAll} />
          )}
        </label>
        {children}
        <p class="buttons">
          <button class="button strong">Done</button>
          {/* Only pages over https and on this machine's own address have a clipboard. */}
          {navigator.clipboard && (
            <button class="button" type="button" onClick={() => void copy()}>
              {isCopied ? 'Copied' : 'Copy'}
            </button>
          )}
        </p>
      </form>
    </dialog>
  )
}
