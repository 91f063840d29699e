import { escape } from './escape.mjs'

const rowHeight = 30
const head = 34
const nameShare = 26

/**
 * A grid of what was lost: a row for each library, a column for each scenario, the darker the more.
 * @param {object} grid
 * @param {string} grid.id
 * @param {string} grid.title
 * @param {string} grid.about
 * @param {string[]} grid.columns
 * @param {{ title: string, ours: boolean, shares: number[] }[]} grid.rows shares of 1
 */
export function drawGrid({ id, title, about, columns, rows }) {
  const width = (100 - nameShare) / columns.length
  const left = (/** @type {number} */ column) => `${(nameShare + column * width).toFixed(2)}%`
  const middle = (/** @type {number} */ column) => `${(nameShare + (column + 0.5) * width).toFixed(2)}%`
  const percent = (/** @type {number} */ share) =>
    share === 0 ? '0' : `${share < 0.01 ? '<1' : Math.round(share * 100)} %`
  const heads = columns
    .map(
      (name, column) =>
        `<text class="head" text-anchor="middle" x="${middle(column)}" y="20">${column + 1}</text>`,
    )
    .join('')
  const lines = rows.map(({ title: name, ours, shares }, row) => {
    const top = head + row * rowHeight
    const cells = shares.map(
      (share, column) =>
        `<rect x="${left(column)}" y="${top}" width="${(width - 0.6).toFixed(2)}%" height="${rowHeight - 3}" rx="2" class="${share === 0 ? 'none' : 'some'}"${share === 0 ? '' : ` fill-opacity="${(0.25 + 0.75 * share).toFixed(2)}"`}/><text class="cell${share > 0.5 ? ' on' : ''}" text-anchor="middle" x="${middle(column)}" y="${top + 18}">${percent(share)}</text>`,
    )
    return `<g${ours ? ' class="ours"' : ''}><text x="0" y="${top + 18}">${escape(name)}</text>${cells.join('')}</g>`
  })
  const words = rows.map(
    ({ title: name, shares }) =>
      `${name}: ${shares.map((share, column) => `${columns[column]} ${percent(share)}`).join(', ')}`,
  )
  const height = head + rows.length * rowHeight
  const legend = columns.map((name, column) => `${column + 1} ${name}`).join(', ')
  return `<figure><figcaption><b>${escape(title)}</b> ${escape(about)} Columns: ${escape(legend)}.</figcaption><svg role="img" aria-labelledby="${id}-title ${id}-desc" width="100%" height="${height}"><title id="${id}-title">${escape(title)}</title><desc id="${id}-desc">${escape(`${about} ${words.join('; ')}.`)}</desc>${heads}${lines.join('')}</svg></figure>`
}
