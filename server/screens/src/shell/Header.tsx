import { useState } from 'preact/hooks'
import { useStore } from '../data/createStore'
import { toProblem } from '../data/Problem'
import { logOut, login } from '../data/login'
import { filterSearch } from './filterSearch'
import { addressOf } from './location'
import { Mark } from './Mark'
import type { Page } from './Page'
import { ScopeControls } from './ScopeControls'
import { scopeSearch } from './scopeSearch'
import { useSearch } from './useSearch'
import { Views } from './Views'

interface Props {
  pages: readonly Page[]
  current: Page | undefined
}

export function Header({ pages, current }: Props) {
  const user = useStore(login).user
  const [message, setMessage] = useState('')
  const leave = () => logOut().catch((error: unknown) => setMessage(toProblem(error).message))
  // The links carry what the address says now.
  useSearch()
  return (
    <header class="header">
      <div class="header-top">
        <a class="home" href={addressOf('/app/', scopeSearch())} aria-label="waymark, to the overview">
          <Mark />
        </a>
        <nav class="nav" aria-label="Pages">
          {pages.map(({ path, title, isFiltered }) => (
            <a
              key={path}
              href={addressOf(path, isFiltered ? filterSearch() : scopeSearch())}
              aria-current={path === current?.path ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <div class="who">
          <Views />
          <span class="soft" title={user?.role === 'read' ? 'May read' : 'May read and write'}>
            {user?.user}
          </span>
          <button class="button quiet" type="button" onClick={() => void leave()}>
            Log out
          </button>
        </div>
      </div>
      {message && (
        <p class="header-message" role="alert">
          {message}
        </p>
      )}
      {current && <ScopeControls controls={current.controls ?? ['environment', 'range', 'bots']} />}
    </header>
  )
}
