import { query } from './query.js'
import { table } from './table.js'

const mostRows = 200

const columnsSql = `
  SELECT table_name, column_name, data_type, column_comment FROM information_schema.columns
  WHERE table_catalog = 'analytics' AND table_name IN ('events', 'persons') ORDER BY table_name, ordinal_position`

/** Shows what there is to ask for, when the visitor looks for it. */
function startColumns() {
  const list = document.querySelector('#column-list')
  document.querySelector('#columns').addEventListener('toggle', async () => {
    if (list.hasChildNodes()) return
    try {
      const { rows } = await query(columnsSql)
      const names = ['table', 'column', 'type', 'what it is'].map((name) => ({ name }))
      list.replaceChildren(table(names, rows))
    } catch (problem) {
      list.textContent = problem.message
    }
  })
}

/**
 * The box in which the visitor asks in SQL.
 * @param {{ answered: () => void }} options
 */
export function startSqlBox({ answered }) {
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
      answered()
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

  startColumns()
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
