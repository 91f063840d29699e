import { readBasket, watchBasket } from './basket.js'
import { tell } from './tell.js'
import { readVisitor, signOut, watchVisitor } from './visitor.js'

/** Keeps the masthead true: the basket's count, and who is signed in. */
export function startHeader() {
  const show = () => {
    const visitor = readVisitor()
    const count = readBasket().length
    for (const element of document.querySelectorAll('[data-when]'))
      element.hidden = (element.dataset.when === 'signed-in') !== Boolean(visitor)
    document.querySelector('[data-visitor-name]').textContent = visitor?.name ?? ''
    document.querySelector('[data-basket-count]').textContent = count ? ` ${count}` : ''
  }
  document.querySelector('[data-sign-out]').addEventListener('click', () => {
    tell('track', 'Signed Out')
    tell('reset')
    signOut()
    document.querySelector('#main').focus()
  })
  watchBasket(show)
  watchVisitor(show)
  // A page that comes back from the page cache missed what happened meanwhile.
  addEventListener('pageshow', show)
  show()
}
