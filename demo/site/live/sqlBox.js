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
  let asked = 0

  const run = async () => {
    const mine = ++asked
    const startedMs = performance.now()
    caption.textContent = 'Asking …'
    error.textContent = ''
    box.removeAttribute('aria-invalid')
    try {
      const { columns, rows } = await query(box.value, mostRows)
      if (mine !== asked) return
      answer.replaceChildren(table(columns, rows))
      answer.hidden = false
      const count = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
      const more = rows.length === mostRows ? ', the most that is shown' : ''
      caption.textContent = `${count}${more} in ${Math.round(performance.now() - startedMs)} ms`
    } catch (problem) {
      if (mine !== asked) return
      answer.hidden = true
      caption.textContent = ''
      box.setAttribute('aria-invalid', 'true')
      error.textContent = problem.message
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run()
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
