import { escape } from './escape.mjs'

const rowHeight = 40
/** The share of the width that the longest bar takes; the rest is for its figure. */
const widest = 68

/**
 * A chart of horizontal bars, as wide as its place: the title above each, its figure behind, and a line from the least
 * to the most that was measured.
 * @param {{ id: string, title: string, about: string, figures: import('./summarise.mjs').Figure[], format: (value: number) => string }} chart
 */
export function drawBars({ id, title, about, figures, format }) {
  const sorted = figures.toSorted((a, b) => a.median - b.median)
  const most = Math.max(...sorted.map((one) => one.most), Number.MIN_VALUE)
  const share = (/** @type {number} */ value) => `${((value / most) * widest).toFixed(2)}%`
  const rows = sorted.map((one, row) => {
    const top = row * rowHeight
    const ours = one.peer === 'waymark' ? ' class="ours"' : ''
    const spread =
      one.most > one.least
        ? `<line class="spread" x1="${share(one.least)}" x2="${share(one.most)}" y1="${top + 27}" y2="${top + 27}"/>`
        : ''
    return `<g${ours}><text x="0" y="${top + 14}">${escape(one.title)}</text><rect x="0" y="${top + 20}" width="${share(Math.max(one.median, most / 400))}" height="14" rx="2"/>${spread}<text class="figure" x="${share(Math.max(one.most, one.median))}" dx="6" y="${top + 32}">${escape(format(one.median))}</text></g>`
  })
  const height = sorted.length * rowHeight
  const words = sorted.map((one) => `${one.title} ${format(one.median)}`).join(', ')
  return `<figure><figcaption><b>${escape(title)}</b> ${escape(about)}</figcaption><svg role="img" aria-labelledby="${id}-title ${id}-desc" width="100%" height="${height}"><title id="${id}-title">${escape(title)}</title><desc id="${id}-desc">${escape(`${about} ${words}.`)}</desc>${rows.join('')}</svg></figure>`
}
