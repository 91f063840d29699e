import { useRef, useState } from 'preact/hooks'
import { useStore } from '../data/createStore'
import { toProblem } from '../data/Problem'
import { save, saveLink, useSaved } from '../data/saved'
import { shownAsks } from '../data/shownAsks'
import { findRefusal } from '../address/guestAddress'
import { FormDialog, ShownOnce } from '../parts/FormDialog'
import { Moment } from '../parts/Moment'
import { changeSearch, place } from '../address/location'
import type { Page } from './Page'
import { useScope, scopeSearch } from '../address/scope'
import { fromDay, startOfDay, toDay } from '../address/timeRange'

const titleOf = (pages: readonly Page[], path: string) =>
  pages.find((page) => page.path === path)?.title ?? path

/** The links by which guests see figures without a login, each with a way to take it back. */
export function LinkList({ pages }: { pages: readonly Page[] }) {
  const links = useSaved('link')
  const [message, setMessage] = useState('')
  const takeBack = (name: string) =>
    save('link', { name, value: null }).catch((error: unknown) => setMessage(toProblem(error).message))
  if (links.length === 0) return null
  return (
    <>
      <ul aria-label="Links for guests">
        {links.map(({ name, value: { path, ends_at: end } }) => (
          <li key={name}>
            <span>
              {name}{' '}
              <span class="soft">
                shows {path === null ? 'all pages' : titleOf(pages, path)}
                {end !== null && (
                  <>
                    {' '}
                    until <Moment time={end} />
                  </>
                )}
              </span>
            </span>
            <button
              class="button quiet"
              type="button"
              aria-label={`Take back the link ${name}`}
              onClick={() => void takeBack(name)}
            >
              Take back
            </button>
          </li>
        ))}
      </ul>
      {message && <p role="alert">{message}</p>}
    </>
  )
}

/** The form for a link to the page that is shown, or to all pages, and then its address. */
export function ShareForm({ pages, close }: { pages: readonly Page[]; close: () => void }) {
  const links = useSaved('link')
  const { path, search } = useStore(place)
  const { environment } = useScope()
  const made = useRef<string | undefined>(undefined)
  const [address, setAddress] = useState<string>()
  const refusal = findRefusal({ path, search: search.toString() }, false)

  const make = async ({ name = '', what, until = '', origins = '' }: Record<string, string>) => {
    if (links.some((link) => link.name === name)) throw new Error(`There is a link ${name} already.`)
    const last = fromDay(until)
    const isPage = what === 'page'
    made.current = await saveLink({
      name,
      value: {
        path: isPage ? path : null,
        environment,
        answers: isPage ? shownAsks() : null,
        search: (isPage
          ? changeSearch(search, { env: environment })
          : changeSearch(scopeSearch(), { env: environment, filter: undefined })
        ).toString(),
        ends_at: last ? startOfDay(last, 1).toISOString() : null,
        origins: origins.split(/[\s,]+/).filter(Boolean),
      },
    })
  }
  // A form that has saved closes itself.
  const next = () => (made.current === undefined ? close() : setAddress(made.current))

  if (address !== undefined) return <ShownOnce title="The link" value={address} close={close} />
  return (
    <FormDialog title="Share by a link" close={next} save={make}>
      <label>
        Name
        <input name="name" maxLength={120} required />
      </label>
      <label>
        What it shows
        <select name="what">
          {refusal === undefined && <option value="page">{titleOf(pages, path)} as it is now</option>}
          <option value="all">All pages but Live, People, Plan, SQL and Set up</option>
        </select>
      </label>
      <label>
        Last day, if any
        <input name="until" type="date" min={toDay(new Date())} />
      </label>
      <label>
        Sites that may show it in a frame
        <input name="origins" placeholder="https://www.example.com" />
      </label>
      <p class="soft">
        {refusal !== undefined && `${refusal} `}
        Whoever has the link sees it without a login. Guests change the time of one page; on all pages they
        also filter. They never see people or SQL.
      </p>
    </FormDialog>
  )
}
