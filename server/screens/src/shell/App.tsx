import { useEffect, useRef } from 'preact/hooks'
import { useStore } from '../data/createStore'
import { findLogin, login } from '../data/login'
import { Loading } from '../parts/Loading'
import { ProblemNote } from '../parts/ProblemNote'
import { pages } from '../pages'
import { Header } from './Header'
import { place } from './location'
import { Login } from './Login'
import { NotFound } from './NotFound'
import { ScopeProvider } from './scope'

export function App() {
  const { state, problem } = useStore(login)
  const { path } = useStore(place)
  const page = pages.find((each) => each.path === path)
  const title = page?.title ?? 'Not found'

  useEffect(() => {
    document.title = `${title} · waymark`
  }, [title])

  // Whoever follows a link by keyboard or with a screen reader goes on where the new page begins.
  const main = useRef<HTMLElement>(null)
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current !== path) main.current?.focus()
    shown.current = path
  }, [path])

  if (state === 'out') return <Login />
  if (state === 'unknown')
    return (
      <main class="alone">
        {problem ? <ProblemNote problem={problem} again={() => void findLogin()} /> : <Loading />}
      </main>
    )
  const View = page?.view ?? NotFound
  return (
    <ScopeProvider>
      <div class="frame" inert={state === 'expired'}>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <Header pages={pages} current={page} />
        <main ref={main} id="content" tabIndex={-1} key={path}>
          <h1>{title}</h1>
          <View />
        </main>
      </div>
      {state === 'expired' && <Login isExpired />}
    </ScopeProvider>
  )
}
