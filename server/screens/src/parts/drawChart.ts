import uPlot from 'uplot'
import type { ChartProps } from './Chart'
import { formatCompact } from './format'

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const mostHours = 72

/** What stands below the x axis: hours for some days, else days. */
function nameTicks({ x, isTime, nameTick }: Drawing): (splits: number[]) => string[] {
  if (nameTick) return (splits) => splits.map(nameTick)
  if (!isTime) return (splits) => splits.map((value) => formatCompact(value))
  const isShort = (x.at(-1) ?? 0) - (x[0] ?? 0) <= mostHours * 3600
  return (splits) => splits.map((time) => (isShort ? clock : day).format(time * 1000))
}

type Given = 'x' | 'series' | 'isOpen' | 'isTime' | 'isCount' | 'kind' | 'height' | 'formatY'

interface Drawing extends Required<Pick<ChartProps, Given>>, Pick<ChartProps, 'nameTick'> {
  /** The places that have marks. */
  marksAt: readonly number[]
  /** Which point the pointer is at; null when it is away. */
  onPlace: (index: number | null) => void
  /** A click on a point: its place, and the line that is nearest. */
  onOpen?: (index: number, series: number) => void
  /** A part of the x axis was drawn over. */
  onZoom?: (from: number, until: number) => void
}

/** A drag that is shorter is a click of an unsteady hand. */
const leastDrag = 8

interface Marks extends Pick<Drawing, 'x' | 'marksAt'> {
  colour: string
}

/** A line from top to bottom at each place that has marks, behind what is drawn of the figures. */
function drawMarks({ ctx, bbox, valToPos }: uPlot, { x, marksAt, colour }: Marks): void {
  const size = 5 * devicePixelRatio
  ctx.save()
  ctx.strokeStyle = ctx.fillStyle = colour
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio])
  for (const place of marksAt) {
    const left = Math.round(valToPos(x[place] ?? 0, 'x', true))
    ctx.beginPath()
    ctx.moveTo(left, bbox.top)
    ctx.lineTo(left, bbox.top + bbox.height)
    ctx.stroke()
    ctx.beginPath()
    ctx.moveTo(left - size, bbox.top - size)
    ctx.lineTo(left + size, bbox.top - size)
    ctx.lineTo(left, bbox.top + size)
    ctx.fill()
  }
  ctx.restore()
}

/** Splits off what leads to the last place and is drawn dashed, where that goes on. */
function splitOpen({ x, series, isOpen, kind }: Pick<Drawing, 'x' | 'series' | 'isOpen' | 'kind'>) {
  const last = x.length - 1
  // A bar stands alone, a line comes from the place before.
  const from = kind === 'bar' ? last : last - 1
  return series.flatMap((each, index) => {
    const { values, isBefore = false, isOthers = false } = each
    const drawn = { ...each, index, isDashed: isBefore, isEnd: false }
    if (!isOpen || isBefore || isOthers || last < 1) return [drawn]
    return [
      { ...drawn, values: values.with(last, null) },
      {
        ...drawn,
        values: values.map((value, at) => (at < from ? null : value)),
        isDashed: true,
        isEnd: true,
      },
    ]
  })
}

/** The line that the pointer is nearest to at its place, of those that are drawn. */
function nearestLine({ cursor, data, valToPos }: uPlot, lines: readonly { index: number }[]): number {
  const distanceOf = (at: number) => {
    const value = data[at + 1]?.[cursor.idx ?? 0]
    return value == null ? Infinity : Math.abs(valToPos(value, 'y') - (cursor.top ?? 0))
  }
  const distances = lines.map((_, at) => distanceOf(at))
  return lines[distances.indexOf(Math.min(...distances))]?.index ?? 0
}

/** Draws into `frame`, as wide as that is, also later. `destroy()` of what is returned ends it. */
export function drawChart(frame: HTMLElement, drawing: Drawing): uPlot {
  const { x, series, marksAt, isTime, isCount, kind, nameTick, height, formatY, onPlace, onOpen, onZoom } =
    drawing
  const style = getComputedStyle(frame)
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const font = `11px ${style.fontFamily}`
  const axis = { stroke: colour('soft'), font, ticks: { show: false } }
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))

  const hasFewCounts = isCount && most < 10
  const ticks = nameTicks(drawing)
  const lines = splitOpen(drawing)
  const bars = uPlot.paths.bars?.({ size: [0.8, 48] })

  const options: uPlot.Options = {
    width: frame.clientWidth,
    height,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: Boolean(onZoom), y: false, setScale: false, dist: leastDrag },
      points: { size: 7 },
    },
    scales: {
      // A bar needs room on both sides.
      x: { time: isTime, ...(nameTick ? { range: (_, low, high) => [low - 0.6, high + 0.6] } : {}) },
      y: {
        range: (_, low, high) =>
          isCount ? [0, Math.max(1, high * 1.05)] : [Math.min(0, low * 1.05), Math.max(0, high * 1.05) || 1],
      },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 70,
        size: 22,
        // A name belongs to a whole number.
        incrs: nameTick ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] : [],
        values: (_, splits) => ticks(splits),
      },
      {
        ...axis,
        grid: { stroke: colour('rule'), width: 1 },
        size: 46,
        // Counts have no fractions.
        incrs: hasFewCounts ? [1, 2, 5] : [],
        values: (_, splits) => splits.map((value) => (most > 9999 ? formatCompact(value) : formatY(value))),
      },
    ],
    series: [
      {},
      ...lines.map(({ title, values, isBefore, isOthers, index, isDashed, isEnd }): uPlot.Series => {
        const stroke = colour(isBefore ? 'data-before' : `data-${index % 6}`)
        return {
          label: title,
          stroke,
          width: isBefore ? 1.5 : 2,
          ...(isDashed ? { dash: [4, 4] } : {}),
          ...(isOthers ? { dash: [1, 4], cap: 'round' as const } : {}),
          // The area of one of several lines would hide the others.
          ...(index === 0 && series.slice(1).every((each) => each.isBefore || each.isOthers)
            ? { fill: colour('data-fill') }
            : {}),
          ...(kind === 'bar' && bars ? { paths: bars, ...(isEnd ? {} : { fill: stroke }) } : {}),
          // A single figure makes no line.
          points: { show: kind === 'line' && values.filter((value) => value !== null).length < 3, size: 5 },
        }
      }),
    ],
    hooks: {
      setCursor: [({ cursor }) => onPlace(cursor.idx ?? null)],
      ready: [
        (drawn) =>
          drawn.over.addEventListener('click', () => {
            const { idx } = drawn.cursor
            if (idx != null) onOpen?.(idx, nearestLine(drawn, lines))
          }),
      ],
      setSelect: [
        (drawn) => {
          const { left, width } = drawn.select
          if (width < leastDrag) return
          drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          onZoom?.(drawn.posToVal(left, 'x'), drawn.posToVal(left + width, 'x'))
        },
      ],
      drawAxes: [(drawn) => drawMarks(drawn, { x, marksAt, colour: colour('accent') })],
    },
  }
  if (!nameTick) delete options.axes?.[0]?.incrs
  if (!hasFewCounts) delete options.axes?.[1]?.incrs
  const data = [x, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData
  const plot = new uPlot(options, data, frame)

  const observer = new ResizeObserver(() => plot.setSize({ width: frame.clientWidth, height }))
  observer.observe(frame)
  ;(plot.hooks.destroy ??= []).push(() => observer.disconnect())
  return plot
}
