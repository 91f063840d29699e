import { tell } from './tell.js'
import { signUp } from './visitor.js'

/** The sign-up form: says who the visitor is, and goes home in the same moment. */
export function startJoin() {
  document.querySelector('[data-join]').addEventListener('submit', (event) => {
    event.preventDefault()
    const form = new FormData(event.target)
    const name = String(form.get('name')).trim()
    const plan = String(form.get('plan'))
    const id = signUp(name, String(form.get('email')))
    tell('identify', id, { name, plan })
    tell('track', 'Signed Up', { plan })
    location.href = '/'
  })
}
