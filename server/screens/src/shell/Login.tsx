import { useEffect, useRef, useState } from 'preact/hooks'
import { useStore } from '../data/createStore'
import { base } from '../data/base'
import { toProblem } from '../data/Problem'
import { acceptInvitation, logIn, login } from '../data/login'
import { Mark } from './Header'

/** The form instead of a page, or over the page whose session is over. */
export function Login({ isExpired = false }: { isExpired?: boolean }) {
  const { user, isWithoutUsers, hasOidc, problem } = useStore(login)
  const known = user?.user ?? ''
  const [message, setMessage] = useState(problem?.message ?? '')
  const [isBusy, setBusy] = useState(false)
  const name = useRef<HTMLInputElement>(null)
  const password = useRef<HTMLInputElement>(null)

  useEffect(() => (known ? password : name).current?.focus(), [])
  useEffect(() => {
    if (!isExpired) document.title = 'Log in · waymark'
  }, [isExpired])

  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setMessage('')
    try {
      await logIn({ user: name.current?.value ?? '', password: password.current?.value ?? '' })
    } catch (error) {
      setMessage(toProblem(error).message)
      setBusy(false)
      password.current?.select()
    }
  }

  const frame = isExpired
    ? ({ class: 'login over', role: 'dialog', 'aria-modal': true } as const)
    : ({ class: 'login', role: 'main' } as const)
  return (
    <div {...frame} aria-labelledby="login-title">
      <form class="login-form" onSubmit={(event) => void submit(event)}>
        <Mark />
        <h1 id="login-title">Log in</h1>
        <p class="soft">
          {isExpired
            ? 'Your session has ended. Log in again: the page stays as it is.'
            : isWithoutUsers
              ? 'This service has no user, so nobody can log in.'
              : 'The name and password are those of a user of this service.'}
        </p>
        {isWithoutUsers && (
          <p>
            Start it with <code>--users name:password</code>. Without <code>--users</code>,{' '}
            <code>--users-file</code> and <code>--api-keys</code> it makes a user itself, and prints the
            password.
          </p>
        )}
        <label>
          Name
          <input
            ref={name}
            name="username"
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            defaultValue={known}
            required
          />
        </label>
        <label>
          Password
          <input ref={password} name="password" type="password" autocomplete="current-password" required />
        </label>
        <p class="form-message" role="alert">
          {message}
        </p>
        <button class="button strong" disabled={isBusy}>
          {isBusy ? 'Logging in …' : 'Log in'}
        </button>
        {(hasOidc || user?.oidc) && (
          <a class="button" href={`${base}/oidc`}>
            Log in by single sign-on
          </a>
        )}
      </form>
    </div>
  )
}

/** The form of whoever has followed an invitation. */
export function Invited({ token, user }: { token: string; user: string }) {
  const password = useRef<HTMLInputElement>(null)
  const [message, setMessage] = useState('')
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    password.current?.focus()
    document.title = 'Set a password · waymark'
  }, [])
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setMessage('')
    try {
      await acceptInvitation(token, password.current?.value ?? '')
    } catch (error) {
      setMessage(toProblem(error).message)
      setBusy(false)
    }
  }
  return (
    <div class="login" role="main" aria-labelledby="login-title">
      <form class="login-form" onSubmit={(event) => void submit(event)}>
        <Mark />
        <h1 id="login-title">Set a password</h1>
        <p class="soft">It is for you alone. This link works once.</p>
        <label>
          Name
          <input name="username" autocomplete="username" value={user} readOnly />
        </label>
        <label>
          Password, 8 characters or more
          <input
            ref={password}
            name="password"
            type="password"
            autocomplete="new-password"
            minLength={8}
            required
          />
        </label>
        <p class="form-message" role="alert">
          {message}
        </p>
        <button class="button strong" disabled={isBusy}>
          {isBusy ? 'Setting it …' : 'Set it and log in'}
        </button>
      </form>
    </div>
  )
}
