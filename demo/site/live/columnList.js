import { h } from '../h.js'
import { query } from './query.js'

const columnsSql = `
  SELECT table_name, column_name, data_type, coalesce(comment, '')
  FROM duckdb_columns()
  WHERE database_name = 'analytics' AND schema_name = 'main' AND table_name IN ('events', 'persons')
  ORDER BY table_name, column_index`

/** The columns that SQL can name, asked for when the list is opened for the first time. */
export function startColumnList() {
  const list = document.querySelector('#columns')
  const place = list.querySelector('div')

  const line = ([, name, type, comment]) =>
    h(
      'div',
      {},
      h('dt', {}, h('code', {}, name), ' ', h('span', { class: 'type' }, type)),
      h('dd', {}, comment),
    )

  const load = async () => {
    try {
      const { rows } = await query(columnsSql)
      const tables = ['events', 'persons'].flatMap((name) => [
        h('h4', {}, h('code', {}, name)),
        h('dl', {}, ...rows.filter(([table]) => table === name).map(line)),
      ])
      place.replaceChildren(...tables)
    } catch (problem) {
      place.textContent = problem.message
      list.addEventListener('toggle', load, { once: true })
    }
  }
  list.addEventListener('toggle', load, { once: true })
}
