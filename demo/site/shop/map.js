import { addToBasket } from './basket.js'
import { tell } from './tell.js'

/** A sheet's page: tracks that it was looked at, and puts it in the basket. */
export function startMap() {
  const { slug, name, price } = document.querySelector('.sheet').dataset
  const item = { slug, name, price: Number(price) }
  tell('track', 'Map Viewed', { map: slug, price: item.price })
  document.querySelector('[data-add]').addEventListener('click', () => {
    addToBasket(item)
    tell('track', 'Added to Basket', { map: slug, price: item.price })
    document.querySelector('[data-added]').hidden = false
    document.querySelector('[data-said]').textContent = `${name} is in the basket.`
  })
}
