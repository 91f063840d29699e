import { tell } from './tell.js'

/** The single-page part: the kinds of country are chosen without loading a page, and each choice has its URL. */
export function startMaps() {
  const choices = [...document.querySelectorAll('.terrains a')]
  const cards = [...document.querySelectorAll('.card')]
  const shown = document.querySelector('[data-shown]')

  const show = () => {
    const wanted = new URL(location.href).searchParams.get('terrain') ?? ''
    for (const choice of choices) choice.toggleAttribute('aria-current', choice.dataset.terrain === wanted)
    for (const card of cards) card.hidden = wanted !== '' && card.dataset.terrain !== wanted
    const count = cards.filter((card) => !card.hidden).length
    shown.textContent = `${count} ${count === 1 ? 'sheet' : 'sheets'}`
    return { terrain: wanted || 'everything', sheets: count }
  }

  for (const choice of choices)
    choice.addEventListener('click', (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return
      event.preventDefault()
      if (choice.href === location.href) return
      history.pushState(null, '', choice.href)
      tell('track', 'Country Chosen', show())
    })
  addEventListener('popstate', () => tell('track', 'Country Chosen', { ...show(), by: 'history' }))
  show()
}
