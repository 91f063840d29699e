import { escape } from './escape.mjs'

/**
 * A table with a line for each library. Cells are HTML.
 * @param {{ id: string, caption: string, heads: string[], rows: { title: string, ours: boolean, cells: string[] }[], isProse?: boolean }} table
 */
export function renderTable({ id, caption, heads, rows, isProse = false }) {
  const head = heads.map((name) => `<th scope="col">${escape(name)}</th>`).join('')
  const body = rows.map(({ title, ours, cells }) => {
    const line = cells.map((cell) => `<td>${cell}</td>`).join('')
    return `<tr${ours ? ' class="ours"' : ''}><th scope="row">${escape(title)}</th>${line}</tr>`
  })
  return `<p class="caption" id="${id}">${escape(caption)}</p>
<div class="table" tabindex="0" role="region" aria-labelledby="${id}"><table class="${isProse ? 'prose' : 'figures'}" aria-labelledby="${id}"><thead><tr><th scope="col">library</th>${head}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></div>`
}
