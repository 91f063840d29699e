import { useEffect, useRef } from 'preact/hooks'
import { useStore } from '../data/createStore'
import { guest, isFixed, isGuest } from '../data/guest'
import { findLogin, login } from '../data/login'
import { freeParameters } from '../address/guestAddress'
import { Loading, ProblemNote } from '../parts/notes'
import { pages } from '../pages'
import { Header } from './Header'
import { place, addressOf } from '../address/location'
import { Invited, Login } from './Login'
import { ScopeProvider, useScope, useScopeSearch } from '../address/scope'
import { describeFilter } from '../data/filters'
import { FilterBar } from '../parts/FilterBar'
import { OneCard } from '../parts/oneCard'
import { ScopeNote } from '../parts/ScopeNote'
import { countedOn, type Page } from './Page'

const NotFound = () => (
  <p>
    There is no page at this address. <a href={addressOf('/app/', useScopeSearch()())}>Go to the overview.</a>
  </p>
)

/** The segment on every page: to be changed where it counts, else named as waiting. */
function Filters({ page }: { page: Page }) {
  const { filters } = useScope()
  const counted = countedOn(page, useStore(place).search)
  if (counted) return <FilterBar of={counted} />
  if (filters.length === 0) return null
  return (
    <p class="soft">
      The filters do not hold here: {filters.map((each) => describeFilter(each)).join(', ')}. Other pages keep
      them.
    </p>
  )
}

export function App() {
  const { state, problem, invitation } = useStore(login)
  const { path } = useStore(place)
  const view = useStore(guest)
  const shown = isGuest
    ? pages.filter((each) => Object.hasOwn(freeParameters, each.path) || each.path === view?.path)
    : pages
  const page = shown.find((each) => each.path === path)
  const title = (isFixed() ? view?.name : page?.title) ?? 'Not found'

  useEffect(() => {
    document.title = `${title} · waymark`
  }, [title])

  // After a link, the keyboard and a screen reader go on where the new page begins.
  const main = useRef<HTMLElement>(null)
  const last = useRef(path)
  useEffect(() => {
    if (last.current !== path) main.current?.focus({ preventScroll: true })
    last.current = path
  }, [path])

  // The address keeps its last part, which for a guest is the link's token.
  const skip = (event: Event) => {
    event.preventDefault()
    main.current?.focus()
  }

  if (invitation) return <Invited {...invitation} />
  if (state === 'out') return <Login />
  if (state === 'unknown')
    return (
      <main class="alone">
        {!problem ? (
          <Loading />
        ) : isGuest && problem.kind === 'refused' ? (
          <h1>{problem.message}</h1>
        ) : (
          <ProblemNote problem={problem} again={() => void findLogin()} />
        )}
      </main>
    )
  const View = page?.view ?? NotFound
  if (view?.card !== undefined)
    return (
      <ScopeProvider>
        <main class="embed">
          <h1 class="visually-hidden">{title}</h1>
          <OneCard.Provider value={view.card}>
            <View pages={pages} />
          </OneCard.Provider>
          <ScopeNote of={['time', 'segment']} />
        </main>
      </ScopeProvider>
    )
  return (
    <ScopeProvider>
      <div class={isFixed() ? 'frame' : 'frame has-pages'} inert={state === 'expired'}>
        <a class="skip" href="#content" onClick={skip}>
          Skip to the content
        </a>
        <Header pages={shown} current={page} />
        <main ref={main} id="content" tabIndex={-1} key={path}>
          <h1>{title}</h1>
          {page && <Filters page={page} />}
          <View pages={pages} />
        </main>
      </div>
      {state === 'expired' && <Login isExpired />}
    </ScopeProvider>
  )
}
