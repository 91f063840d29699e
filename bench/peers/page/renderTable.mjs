import { escape } from './escape.mjs'

/**
 * A table with a line for each library. Cells are HTML.
 * @param {{ caption: string, heads: string[], rows: { title: string, ours: boolean, cells: string[] }[] }} table
 */
export function renderTable({ caption, heads, rows }) {
  const head = heads.map((name) => `<th scope="col">${escape(name)}</th>`).join('')
  const body = rows.map(
    ({ title, ours, cells }) =>
      `<tr${ours ? ' class="ours"' : ''}><th scope="row">${escape(title)}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
  )
  return `<div class="table" tabindex="0" role="region" aria-label="${escape(caption)}"><table><caption>${escape(caption)}</caption><thead><tr><th scope="col">library</th>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`
}
