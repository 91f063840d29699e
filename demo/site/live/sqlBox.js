import { record } from '../tour.js'
import { query } from './query.js'
import { table } from './table.js'

const mostRows = 200

/** The box in which the visitor asks in SQL. */
export function startSqlBox() {
  const form = document.querySelector('#sql-form')
  const box = document.querySelector('#sql')
  const error = document.querySelector('#sql-error')
  const answer = document.querySelector('#answer')
  const caption = document.querySelector('#answer-caption')
  const cancel = document.querySelector('#sql-cancel')
  /** Ends the question under way. @type {AbortController | undefined} */
  let asking

  const run = async () => {
    asking?.abort()
    const mine = new AbortController()
    asking = mine
    cancel.hidden = false
    const startedMs = performance.now()
    caption.textContent = 'Asking …'
    error.textContent = ''
    box.removeAttribute('aria-invalid')
    try {
      const { columns, rows } = await query(box.value, { limit: mostRows, signal: mine.signal })
      answer.replaceChildren(table(columns, rows))
      answer.hidden = false
      const count = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
      const more = rows.length === mostRows ? ', the most that is shown' : ''
      caption.textContent = `${count}${more} in ${Math.round(performance.now() - startedMs)} ms`
      record('ask')
    } catch (problem) {
      // Another question is under way already.
      if (mine !== asking) return
      answer.hidden = true
      caption.textContent = mine.signal.aborted ? 'Cancelled.' : ''
      if (mine.signal.aborted) return
      box.setAttribute('aria-invalid', 'true')
      error.textContent = problem.message
    } finally {
      if (mine === asking) cancel.hidden = true
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run()
  })
  cancel.addEventListener('click', () => {
    asking?.abort()
    box.focus()
  })
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit()
  })
  for (const button of document.querySelectorAll('[data-example]'))
    button.addEventListener('click', () => {
      box.value = button.dataset.example
      form.requestSubmit()
    })
}
