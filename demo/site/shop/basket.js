import { stored } from '../stored.js'

/** @typedef {{ slug: string, name: string, price: number }} Item */

/** @type {ReturnType<typeof stored<Item[]>>} */
const items = stored('fernweg.basket', [])

export const readBasket = items.get
export const watchBasket = items.watch
export const totalOf = (/** @type {Item[]} */ list) => list.reduce((sum, { price }) => sum + price, 0)
export const emptyBasket = () => items.set([])
export const addToBasket = (/** @type {Item} */ item) => items.set([...items.get(), item])
export const removeFromBasket = (/** @type {number} */ index) =>
  items.set(items.get().filter((_, at) => at !== index))
