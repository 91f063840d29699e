import { h } from '../h.js'
import { record } from '../tour.js'
import { emptyBasket, readBasket, removeFromBasket, totalOf, watchBasket } from './basket.js'
import { tell } from './tell.js'
import { noteOrder } from './thanks.js'

/** The basket: its lines, and the order, which is tracked in the last moment of the page. */
export function startBasketPage() {
  const said = document.querySelector('[data-said]')

  const line = (item, index) => {
    const remove = h(
      'button',
      { type: 'button', class: 'plain', 'aria-label': `Take ${item.name} out` },
      'Take out',
    )
    remove.addEventListener('click', () => {
      tell('track', 'Removed from Basket', { map: item.slug })
      removeFromBasket(index)
      said.textContent = `${item.name} is out of the basket.`
      document.querySelector('#main').focus()
    })
    return h(
      'li',
      {},
      h('a', { href: `/maps/${item.slug}` }, item.name),
      h('span', {}, `€ ${item.price}`),
      remove,
    )
  }

  const show = () => {
    const items = readBasket()
    document.querySelector('[data-empty]').hidden = items.length > 0
    document.querySelector('[data-full]').hidden = items.length === 0
    document.querySelector('[data-lines]').replaceChildren(...items.map(line))
    document.querySelector('[data-total]').textContent = `€ ${totalOf(items)}`
  }

  document.querySelector('[data-order]').addEventListener('click', () => {
    const items = readBasket()
    tell('track', 'Order Placed', { total: totalOf(items), maps: items.map(({ slug }) => slug) })
    noteOrder()
    record('buy')
    emptyBasket()
    location.href = '/thanks'
  })
  watchBasket(show)
  addEventListener('pageshow', show)
  show()
}
