import { stored } from './stored.js'

/** What the second step takes, in this order. */
const outage = ['off', 'buy', 'reload', 'on']

/** How far the visitor is: `survived` counts the parts of the second step that are done. */
const progress = stored('fernweg.tour', { bought: false, survived: 0, asked: false })

/** @param {number} survived @param {string} what */
function advance(survived, what) {
  if (what === outage[survived]) return survived + 1
  // Switched on before anything was done without the service: from the beginning.
  return what === 'on' && survived < outage.length ? 0 : survived
}

/**
 * Notes what the visitor has done.
 * @param {'off' | 'buy' | 'reload' | 'on' | 'ask'} what
 */
export function record(what) {
  const before = progress.get()
  const after = {
    bought: before.bought || what === 'buy',
    survived: advance(before.survived, what),
    asked: before.asked || what === 'ask',
  }
  if (JSON.stringify(after) !== JSON.stringify(before)) progress.set(after)
}

/** @param {Element} element @param {boolean} isDone */
function tick(element, isDone) {
  element.classList.toggle('done', isDone)
  const mark = element.querySelector(':scope > .mark')
  if (isDone && !mark) element.insertAdjacentElement('afterbegin', createMark())
  if (!isDone) mark?.remove()
}

function createMark() {
  const mark = document.createElement('span')
  mark.className = 'mark'
  mark.setAttribute('role', 'img')
  mark.setAttribute('aria-label', 'Done:')
  return mark
}

/** Keeps the three steps ticked, and leads to what they name where it is on the same page. */
export function startTour() {
  const steps = document.querySelectorAll('[data-step]')
  const parts = document.querySelectorAll('[data-part]')
  const said = document.querySelector('[data-tour-said]')

  const show = () => {
    const { bought, survived, asked } = progress.get()
    const done = { bought, survived: survived === outage.length, asked }
    for (const step of steps) tick(step, done[step.dataset.step])
    for (const part of parts) tick(part, !done.survived && outage.indexOf(part.dataset.part) < survived)
    const count = Object.values(done).filter(Boolean).length
    said.textContent = count ? `${count} of ${steps.length} steps done.` : ''
  }
  for (const link of document.querySelectorAll('[data-jump]'))
    link.addEventListener('click', (event) => {
      const target = document.getElementById(link.dataset.jump)
      if (!target?.offsetParent) return
      event.preventDefault()
      target.focus()
    })

  if (performance.getEntriesByType('navigation')[0]?.type === 'reload') record('reload')
  progress.watch(show)
  addEventListener('pageshow', show)
  show()
}
