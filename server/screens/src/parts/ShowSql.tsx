import { useEffect, useRef, useState } from 'preact/hooks'
import type { Ask } from '../data/asks'
import { toProblem } from '../data/Problem'
import { findStatement } from '../data/query'
import { addressOf, changeSearch } from '../address/location'
import { useScopeSearch } from '../address/scope'

/** The address that runs a statement on the SQL page. */
export const sqlPageAddress = (statement: string, scope: URLSearchParams): string =>
  addressOf('/app/sql', changeSearch(scope, { q: statement }))

/** Shows the statement behind a picture, to be copied or run on the SQL page. */
export function ShowSql({ ask, of, close }: { ask: Ask; of: string; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const scopeSearch = useScopeSearch()
  const [isCopied, setCopied] = useState(false)
  const [statement, setStatement] = useState<string>()
  const [problem, setProblem] = useState('')

  useEffect(() => {
    dialog.current?.showModal()
    findStatement(ask).then(setStatement, (error: unknown) => setProblem(toProblem(error).message))
  }, [])

  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }

  return (
    <dialog ref={dialog} class="sql-dialog" aria-label={`SQL: ${of}`} onClose={close}>
      <header class="card-head">
        <h2>{of}</h2>
        <button class="button" type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {problem && <p role="alert">{problem}</p>}
      <pre class="sql-text" tabIndex={0} role="region" aria-label="Statement">
        {statement}
      </pre>
      {statement !== undefined && (
        <p class="buttons">
          <a class="button strong" href={sqlPageAddress(statement, scopeSearch())}>
            Open on the SQL page
          </a>
          {/* Only pages over https and on this machine's own address have a clipboard. */}
          {navigator.clipboard && (
            <button class="button" type="button" onClick={() => void copy(statement)}>
              {isCopied ? 'Copied' : 'Copy'}
            </button>
          )}
        </p>
      )}
    </dialog>
  )
}
