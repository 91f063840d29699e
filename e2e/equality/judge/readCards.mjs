/**
 * What the cards of a screen show; undefined while an answer is on its way. Runs in the page, so it uses nothing from
 * outside of itself.
 * @param {string} lastCard the title of one that must be there
 * @returns {import('../types').Card[] | undefined}
 */
export function readCards(lastCard) {
  /** @param {ParentNode} parent @param {string} selector */
  const all = (parent, selector) => [...parent.querySelectorAll(selector)]
  /** The texts of an element, piece by piece; a moment in full. @param {Node} node @returns {string[]} */
  const texts = (node) => {
    if (node instanceof HTMLTimeElement) return [node.dateTime]
    if (node instanceof Element) return [...node.childNodes].flatMap(texts)
    return [node.nodeValue?.trim() ?? ''].filter(Boolean)
  }
  /** An event of a timeline. @param {Element} event */
  const readEvent = (event) => ({
    time: event.querySelector('time')?.dateTime ?? '',
    name: event.querySelector('summary b')?.textContent ?? '',
    url: event.querySelector('summary .soft')?.textContent ?? '',
    properties: Object.fromEntries(
      all(event, '.properties > div').map(({ children: [name, value] }) => [
        name?.textContent,
        value?.textContent,
      ]),
    ),
  })

  const problem = document.querySelector('main [role=alert]')?.textContent
  if (problem) throw new Error(problem)
  const cards = all(document, 'main .card').map((card) => ({
    title: card.querySelector('h2')?.textContent ?? '',
    rows: all(card, 'tbody tr').map((row) => [...row.children].map(texts)),
    items: all(card, '.totals > li, .funnel-bars > li').map(texts),
    links: all(card, 'tbody .person-link').map((link) => link.getAttribute('href') ?? ''),
    visits: all(card, '.visit').map((visit) => all(visit, '.visit-events > li').map(readEvent)),
  }))
  const isThere = cards.some(({ title }) => title === lastCard)
  return isThere && !document.querySelector('main .loading, main .is-stale') ? cards : undefined
}
