const [width, height, left, right, top, bottom] = [460, 340, 48, 110, 34, 40]
const ticks = [10, 30, 100, 300, 1000, 3000, 10_000]
const colours = ['#0b6bcb', '#c2410c', '#15803d', '#7e22ce', '#b45309', '#0e7490', '#be123c']

/** A panel: a line for each question, over the number of events; both axes are logarithmic. */
const panel = ({ title, lines, sizes, at }) => {
  const share = (value, [from, until]) => Math.log(value / from) / Math.log(until / from || 1)
  const x = (size) => left + share(size, [sizes[0], sizes.at(-1)]) * (width - left - right)
  const y = (ms) =>
    height - bottom - share(Math.max(ms, ticks[0]), [ticks[0], ticks.at(-1)]) * (height - top - bottom)
  const grid = ticks.map(
    (ms) =>
      `<path class="grid" d="M${left} ${y(ms).toFixed(1)}H${width - right}"/><text x="${left - 6}" y="${(y(ms) + 4).toFixed(1)}" text-anchor="end">${ms < 1000 ? ms : `${ms / 1000},000`}</text>`,
  )
  const axis = sizes.map(
    (size) =>
      `<text x="${x(size).toFixed(1)}" y="${height - bottom + 18}" text-anchor="middle">${size} M</text>`,
  )
  // Labels keep their distance, from the slowest answer down.
  let lowest = -Infinity
  const drawn = lines
    .map(([name, values], n) => ({ name, values, colour: colours[n % colours.length] }))
    .toSorted((a, b) => b.values.at(-1) - a.values.at(-1))
    .map(({ name, values, colour }) => {
      const points = values.map((ms, n) => `${x(sizes[n]).toFixed(1)},${y(ms).toFixed(1)}`).join(' ')
      lowest = Math.max(y(values.at(-1)) + 4, lowest + 14)
      return `<polyline stroke="${colour}" points="${points}"/><text style="fill:${colour}" x="${width - right + 6}" y="${lowest.toFixed(1)}">${name}</text>`
    })
  return `<g transform="translate(${at} 0)"><text class="title" x="${left}" y="18">${title}</text>${grid.join('')}${axis.join('')}${drawn.join('')}</g>`
}

/** Draws how the time of each answer grows with the store. `medians` has, for each size in millions, the milliseconds of each question. */
export const drawGrowth = (medians) => {
  const sizes = [...medians.keys()]
  const linesOf = (range) =>
    Object.keys(medians.get(sizes[0]))
      .filter((name) => name.endsWith(range))
      .map((name) => [name.split(/,| of | by /, 1)[0], sizes.map((size) => medians.get(size)[name].ms)])
  const panels = [
    panel({ title: 'A month: milliseconds, by events in the store', lines: linesOf('month'), sizes, at: 0 }),
    panel({ title: 'All of half a year', lines: linesOf('all'), sizes, at: width }),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * width} ${height}" font-family="system-ui, sans-serif" font-size="12">
<title>How the time of each answer grows with the events in the store</title>
<style>text{fill:#444}.title{font-weight:600}.grid{stroke:#ccc}polyline{fill:none;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#ccc}.grid{stroke:#444}}</style>
<rect width="100%" height="100%" fill="none"/>
${panels.join('\n')}
</svg>
`
}
