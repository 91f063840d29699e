import uPlot from 'uplot'
import type { ChartProps } from './Chart'
import { formatCompact } from './format'

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const mostHours = 72

/** What stands below the x axis: hours for some days, else days. */
function nameTicks(x: readonly number[], isTime: boolean): (splits: number[]) => string[] {
  if (!isTime) return (splits) => splits.map((value) => formatCompact(value))
  const isShort = (x.at(-1) ?? 0) - (x[0] ?? 0) <= mostHours * 3600
  return (splits) => splits.map((time) => (isShort ? clock : day).format(time * 1000))
}

interface Drawing extends Required<Pick<ChartProps, 'x' | 'series' | 'isTime' | 'height' | 'formatY'>> {
  /** Which point the pointer is at; null when it is away. */
  onPlace: (index: number | null) => void
}

/** Draws into `frame`, as wide as that is, also later. `destroy()` of what is returned ends it. */
export function drawChart(frame: HTMLElement, drawing: Drawing): uPlot {
  const { x, series, isTime, height, formatY, onPlace } = drawing
  const style = getComputedStyle(frame)
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const font = `11px ${style.fontFamily}`
  const axis = { stroke: colour('soft'), font, ticks: { show: false } }
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))

  const ticks = nameTicks(x, isTime)

  const options: uPlot.Options = {
    width: frame.clientWidth,
    height,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: { x: { time: isTime }, y: { range: (_, _low, high) => [0, Math.max(1, high * 1.05)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 70,
        size: 22,
        values: (_, splits) => ticks(splits),
      },
      {
        ...axis,
        grid: { stroke: colour('rule'), width: 1 },
        size: 46,
        // Counts have no fractions.
        incrs: most < 10 ? [1, 2, 5] : [],
        values: (_, splits) => splits.map((value) => (most > 9999 ? formatCompact(value) : formatY(value))),
      },
    ],
    series: [
      {},
      ...series.map(({ title, isBefore }, index): uPlot.Series => {
        const stroke = colour(isBefore ? 'data-before' : `data-${index % 6}`)
        return {
          label: title,
          stroke,
          width: isBefore ? 1.5 : 2,
          ...(isBefore ? { dash: [4, 4] } : {}),
          ...(index === 0 && !isBefore ? { fill: colour('data-fill') } : {}),
          points: { show: x.length < 3, size: 5 },
        }
      }),
    ],
    hooks: { setCursor: [({ cursor }) => onPlace(cursor.idx ?? null)] },
  }
  if (most >= 10) delete options.axes?.[1]?.incrs
  const data = [x, ...series.map(({ values }) => values)] as unknown as uPlot.AlignedData
  const plot = new uPlot(options, data, frame)

  const observer = new ResizeObserver(() => plot.setSize({ width: frame.clientWidth, height }))
  observer.observe(frame)
  ;(plot.hooks.destroy ??= []).push(() => observer.disconnect())
  return plot
}
