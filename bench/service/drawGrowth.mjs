const [width, height, left, right, top, bottom] = [460, 320, 48, 110, 34, 40]
const ticks = [10, 30, 100, 300, 1000, 3000, 10_000]
/** Each of them can be read on white and on black. */
const colours = ['#2f81d6', '#d9603b', '#2f9e55', '#a261d8', '#b5891b', '#1f97ad', '#e0568b', '#808080']

const written = (number) => number.toLocaleString('en')

/** A panel: a line for each question, over what grows; both axes are logarithmic. */
const panel = ({ title, columns }, at) => {
  const steps = [...columns.keys()]
  const share = (value, [from, until]) => Math.log(value / from) / (Math.log(until / from) || 1)
  const x = (step) => left + share(step, [steps[0], steps.at(-1)]) * (width - left - right)
  const y = (ms) =>
    height - bottom - share(Math.max(ms, ticks[0]), [ticks[0], ticks.at(-1)]) * (height - top - bottom)
  const grid = ticks.map(
    (ms) =>
      `<path d="M${left} ${y(ms).toFixed(1)}H${width - right}"/><text x="${left - 6}" y="${(y(ms) + 4).toFixed(1)}" text-anchor="end">${written(ms)}</text>`,
  )
  const axis = steps.map(
    (step) =>
      `<text x="${x(step).toFixed(1)}" y="${height - bottom + 18}" text-anchor="middle">${written(step)}</text>`,
  )
  // Labels keep their distance, from the slowest answer down.
  let lowest = -Infinity
  const lines = Object.keys(columns.get(steps[0]))
    .map((name, n) => ({ name, values: steps.map((step) => columns.get(step)[name].ms), colour: colours[n] }))
    .toSorted((a, b) => b.values.at(-1) - a.values.at(-1))
    .map(({ name, values, colour }) => {
      const points = values.map((ms, n) => `${x(steps[n]).toFixed(1)},${y(ms).toFixed(1)}`).join(' ')
      lowest = Math.max(y(values.at(-1)) + 4, lowest + 14)
      return `<polyline stroke="${colour}" points="${points}"/><text style="fill:${colour}" x="${width - right + 6}" y="${lowest.toFixed(1)}">${name}</text>`
    })
  const place = `${(at % 2) * width} ${(at >> 1) * height}`
  return `<g transform="translate(${place})"><text class="title" x="${left}" y="18">${title}</text>${grid.join('')}${axis.join('')}${lines.join('')}</g>`
}

/** Draws milliseconds: of each panel the `columns` have, for each step of what grows, the median of each question. */
export const drawGrowth = (
  panels,
) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * width} ${Math.ceil(panels.length / 2) * height}" font-family="system-ui, sans-serif" font-size="12">
<title>How the milliseconds of each answer grow with events, people and the range</title>
<style>text{fill:#555}.title{font-weight:600}path{stroke:#8885}polyline{fill:none;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#bbb}}</style>
${panels.map(panel).join('\n')}
</svg>
`
