import { useEffect, useRef, useState } from 'preact/hooks'
import type { Sql } from '../data/sql'
import { addressOf } from '../shell/location'
import { scopeSearch } from '../shell/scopeSearch'

/** The address that runs a statement on the SQL page. */
export const sqlPageAddress = (statement: Sql): string =>
  addressOf('/app/sql', scopeSearch({ q: statement.text }))

/** A button that shows the statement behind a picture, to be copied or run on the SQL page. */
export function ShowSql({ statement, of }: { statement: Sql; of: string }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [isCopied, setCopied] = useState(false)

  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
  }, [isOpen])

  const copy = async () => {
    await navigator.clipboard.writeText(statement.text)
    setCopied(true)
  }

  return (
    <>
      <button
        class="button quiet"
        type="button"
        aria-label={`SQL: ${of}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        SQL
      </button>
      {isOpen && (
        <dialog
          ref={dialog}
          class="sql-dialog"
          aria-label={`SQL: ${of}`}
          onClose={() => {
            setOpen(false)
            setCopied(false)
          }}
        >
          <header class="card-head">
            <h2>{of}</h2>
            <button class="button" type="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </header>
          <pre class="sql-text" tabIndex={0} role="region" aria-label="Statement">
            {statement.text}
          </pre>
          <p class="buttons">
            <a class="button strong" href={sqlPageAddress(statement)}>
              Open on the SQL page
            </a>
            {/* Only pages over https and on this machine's own address have a clipboard. */}
            {navigator.clipboard && (
              <button class="button" type="button" onClick={() => void copy()}>
                {isCopied ? 'Copied' : 'Copy'}
              </button>
            )}
          </p>
        </dialog>
      )}
    </>
  )
}
