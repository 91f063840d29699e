import { useState } from 'preact/hooks'
import { useStore } from '../data/createStore'
import { isFixed, isGuest } from '../data/guest'
import { toProblem } from '../data/Problem'
import { logOut, login } from '../data/login'
import { Keys } from './Keys'
import { addressOf, useSearch } from '../address/location'
import { type Controls, controlsOf, countedOn, type Page } from './Page'
import { ScopeControls } from './ScopeControls'
import { useScopeSearch } from '../address/scope'
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
  admin: 'May read, write, and make users, keys and environments',
}

/** A guest sees one environment; of one page, all but the time is as the link says. */
const mayChange = (control: Controls[number]) =>
  control === 'range' || !isGuest || (control === 'bots' && !isFixed())

/** Arrows lead from page to page, as Tab does. */
const moveAlong = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const links = [...event.currentTarget.querySelectorAll('a')]
  const at = links.findIndex((link) => link === document.activeElement)
  if (step === undefined || at < 0) return
  event.preventDefault()
  links[(at + step + links.length) % links.length]?.focus()
}

/** All pages by their groups: beside the page, or where there is no room a menu. */
function Navigation({ pages, current }: Props) {
  const scopeSearch = useScopeSearch()
  const groups = [...new Set(pages.map(({ group }) => group))]
  return (
    <nav class="nav" aria-label="Pages" onKeyDown={moveAlong}>
      {groups.map((group) => (
        <div key={group} role="group" aria-label={group}>
          <p class="soft" aria-hidden="true">
            {group}
          </p>
          {pages
            .filter((page) => page.group === group)
            .map(({ path, title }) => (
              <a
                key={path}
                href={addressOf(path, scopeSearch())}
                aria-current={path === current?.path ? 'page' : undefined}
              >
                {title}
              </a>
            ))}
        </div>
      ))}
    </nav>
  )
}

export function Header({ pages, current }: Props) {
  const user = useStore(login).user
  const [message, setMessage] = useState('')
  const leave = () => logOut().catch((error: unknown) => setMessage(toProblem(error).message))
  // The links carry what the address says now.
  const [search] = useSearch()
  const scopeSearch = useScopeSearch()
  const controls = current ? controlsOf(current, search).filter(mayChange) : []
  const isFiltered = current !== undefined && countedOn(current, search) !== undefined
  const keys = <Keys controls={controls} isFiltered={isFiltered && !isFixed()} />
  return (
    <header class="header">
      <div class="side">
        {isFixed() ? (
          <span class="home">
            <Mark />
          </span>
        ) : (
          <>
            <a class="home" href={addressOf('/app/', scopeSearch())} aria-label="waymark, to the overview">
              <Mark />
            </a>
            <button class="button opens" type="button" popovertarget="pages">
              {current?.title ?? 'Pages'}
            </button>
            <div
              id="pages"
              class="side-menu"
              popover="auto"
              onClick={({ target, currentTarget }) => {
                if (target instanceof Element && target.closest('a')) currentTarget.hidePopover()
              }}
            >
              <Navigation pages={pages} current={current} />
              <div class="who">
                {!isGuest && (
                  <span class="soft" title={user && mayDo[user.role]}>
                    {user?.user}
                  </span>
                )}
                {keys}
                {!isGuest && (
                  <button class="button quiet" type="button" onClick={() => void leave()}>
                    Log out
                  </button>
                )}
                {message && (
                  <p class="form-message" role="alert">
                    {message}
                  </p>
                )}
              </div>
            </div>
          </>
        )}
      </div>
      <div class="bar">
        <ScopeControls controls={controls} isFiltered={isFiltered} />
        {!isGuest && <Views pages={pages} />}
        {isFixed() && keys}
      </div>
    </header>
  )
}
