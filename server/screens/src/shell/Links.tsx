import { useEffect, useRef, useState } from 'preact/hooks'
import { useStore } from '../data/createStore'
import { toProblem } from '../data/Problem'
import { type Saved, save, saveLink, useSaved } from '../data/saved'
import { findRefusal } from '../guest/guestAddress'
import { FormDialog } from '../parts/FormDialog'
import { Moment } from '../parts/Moment'
import { changeSearch, place } from './location'
import type { Page } from './Page'
import { useScope } from './scope'
import { scopeSearch } from './scopeSearch'
import { fromDay, startOfDay, toDay } from './timeRange'

/** The one time that the address of a link is shown. */
function MadeLink({ address, close }: { address: string; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="sql-dialog form-dialog" aria-label="The link" onClose={close}>
      <form method="dialog">
        <h2>The link</h2>
        <label>
          Copy it now: it is shown only once
          <input value={address} readOnly onFocus={({ currentTarget }) => currentTarget.select()} />
        </label>
        <p class="buttons">
          <button class="button strong">Done</button>
        </p>
      </form>
    </dialog>
  )
}

/** The links by which guests see figures without a login, and ways to make one and to take one back. */
export function Links({ pages }: { pages: readonly Page[] }) {
  const links = useSaved('link')
  const { path, search } = useStore(place)
  const { environment } = useScope()
  const [isMaking, setMaking] = useState(false)
  const [address, setAddress] = useState<string>()
  const [message, setMessage] = useState('')
  const title = pages.find((page) => page.path === path)?.title ?? ''
  const refusal = findRefusal({ path, search: search.toString() }, false)

  const make = async ({ name = '', what, until = '', origins = '' }: Record<string, string>) => {
    if (links.some((link) => link.name === name)) throw new Error(`There is a link ${name} already.`)
    const last = fromDay(until)
    const made = await saveLink({
      name,
      value: {
        path: what === 'page' ? path : null,
        search: changeSearch(what === 'page' ? search : scopeSearch(), { env: environment }).toString(),
        ends_at: last ? startOfDay(last, 1).toISOString() : null,
        origins: origins.split(/[\s,]+/).filter(Boolean),
      },
    })
    setAddress(made)
  }
  const takeBack = (link: Saved<'link'>) =>
    save('link', { name: link.name, value: null }).catch((error: unknown) =>
      setMessage(toProblem(error).message),
    )

  return (
    <>
      {links.length > 0 && (
        <ul aria-label="Links for guests">
          {links.map((link) => {
            const { ends_at: end, path: shown } = link.value
            return (
              <li key={link.name}>
                <span>
                  {link.name}{' '}
                  <span class="soft">
                    shows {shown === null ? 'all pages' : pages.find((page) => page.path === shown)?.title}
                    {end !== null && (
                      <>
                        {' '}
                        until <Moment time={end} show="both" />
                      </>
                    )}
                  </span>
                </span>
                <button
                  class="button quiet"
                  type="button"
                  aria-label={`Take back the link ${link.name}`}
                  onClick={() => void takeBack(link)}
                >
                  Take back
                </button>
              </li>
            )
          })}
        </ul>
      )}
      {message && <p role="alert">{message}</p>}
      <button class="button" type="button" onClick={() => setMaking(true)}>
        Share by a link
      </button>
      {isMaking && (
        <FormDialog title="Share by a link" close={() => setMaking(false)} save={make}>
          <label>
            Name
            <input name="name" maxLength={120} required />
          </label>
          <label>
            What it shows
            <select name="what">
              {refusal === undefined && <option value="page">{title} as it is now</option>}
              <option value="all">All pages but Live, People, SQL and Set up</option>
            </select>
          </label>
          <label>
            Last day
            <input name="until" type="date" min={toDay(new Date())} />
          </label>
          <label>
            Sites that may show it in a frame
            <input name="origins" placeholder="https://www.example.com" />
          </label>
          <p class="soft">
            Whoever has the link sees it without a login. A guest changes the time of a page, and on all pages
            also the filters; no guest sees people or SQL.
            {refusal !== undefined && ` This page alone cannot be shared: ${refusal}`}
          </p>
        </FormDialog>
      )}
      {address !== undefined && <MadeLink address={address} close={() => setAddress(undefined)} />}
    </>
  )
}
