import { h } from '../h.js'

const show = (/** @type {unknown} */ value) =>
  value === null ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/**
 * A table with its headings.
 * @param {{ name: string, type?: string }[]} columns
 * @param {unknown[][]} rows
 */
export const table = (columns, rows) =>
  h(
    'table',
    {},
    h(
      'thead',
      {},
      h('tr', {}, ...columns.map(({ name, type }) => h('th', { scope: 'col', title: type }, name))),
    ),
    h(
      'tbody',
      {},
      ...rows.map((row) =>
        h(
          'tr',
          {},
          ...row.map((value) => h('td', { class: typeof value === 'number' && 'number' }, show(value))),
        ),
      ),
    ),
  )
