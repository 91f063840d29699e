import { useEffect, useRef, useState } from 'preact/hooks'
import { useStore } from '../data/createStore'
import { isFixed, isGuest } from '../data/guest'
import { toProblem } from '../data/Problem'
import { logOut, login } from '../data/login'
import { Keys } from './Keys'
import { addressOf, useSearch } from '../address/location'
import { type Controls, controlsOf, countedOn, type Page } from './Page'
import { ScopeControls } from './ScopeControls'
import { scopeSearch } from '../address/scope'
import { Views } from './Views'

/** The blaze that is painted on trees: white, red, white. */
export const Mark = () => (
  <span class="mark">
    <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
      <rect class="mark-white" x="0.5" y="0.5" width="31" height="31" rx="6" />
      <rect class="mark-red" y="11" width="32" height="10" />
    </svg>
    waymark
  </span>
)

interface Props {
  pages: readonly Page[]
  current: Page | undefined
}

const mayDo = {
  read: 'May read',
  write: 'May read and write',
  admin: 'May read, write, and make users and keys',
}

/** A guest sees one environment; of one page, all but the time is as the link says. */
const mayChange = (control: Controls[number]) =>
  control === 'range' || !isGuest || (control === 'bots' && !isFixed())

export function Header({ pages, current }: Props) {
  const user = useStore(login).user
  const [message, setMessage] = useState('')
  const leave = () => logOut().catch((error: unknown) => setMessage(toProblem(error).message))
  // The links carry what the address says now.
  const [search] = useSearch()
  const controls = current ? controlsOf(current, search).filter(mayChange) : []
  const isFiltered = current !== undefined && countedOn(current, search) !== undefined
  const shown = useRef<HTMLElement>(null)
  useEffect(() => {
    const link = shown.current?.querySelector('[aria-current]')
    // A phone shows some of the tabs only.
    link?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [current])
  return (
    <header class="header">
      <div class="header-top">
        {isFixed() ? (
          <span class="home">
            <Mark />
          </span>
        ) : (
          <a class="home" href={addressOf('/app/', scopeSearch())} aria-label="waymark, to the overview">
            <Mark />
          </a>
        )}
        {!isFixed() && (
          <nav ref={shown} class="nav" aria-label="Pages">
            {pages.map(({ path, title }) => (
              <a
                key={path}
                href={addressOf(path, scopeSearch())}
                aria-current={path === current?.path ? 'page' : undefined}
              >
                {title}
              </a>
            ))}
          </nav>
        )}
        <div class="who">
          {!isGuest && (
            <>
              <Views pages={pages} />
              <span class="soft" title={user && mayDo[user.role]}>
                {user?.user}
              </span>
            </>
          )}
          <Keys controls={controls} isFiltered={isFiltered && !isFixed()} />
          {!isGuest && (
            <button class="button quiet" type="button" onClick={() => void leave()}>
              Log out
            </button>
          )}
        </div>
      </div>
      {message && (
        <p class="header-message" role="alert">
          {message}
        </p>
      )}
      <ScopeControls controls={controls} isFiltered={isFiltered} />
    </header>
  )
}
