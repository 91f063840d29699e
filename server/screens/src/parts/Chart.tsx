import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { drawChart } from './drawChart'
import { formatCount } from './format'
import { type ChartMark, marksByPlace } from './marks'
import { PlainTable } from './PlainTable'
import { Table } from './Table'
import { useTheme } from './useTheme'

export interface Series {
  title: string
  /** One for each of `x`; null is a gap. */
  values: readonly (number | null)[]
  /** Drawn fainter and dashed: what is compared with. */
  isBefore?: boolean
}

export interface ChartProps {
  /** What the chart shows, for screen readers. */
  caption: string
  /** Moments in Unix seconds where `isTime`, else any numbers. */
  x: readonly number[]
  isTime?: boolean
  /** Says what a place on the x axis is. */
  nameX: (x: number) => string
  /** What stands below the x axis; by default times or numbers. */
  nameTick?: (x: number) => string
  /** Whole numbers from 0 on, as counts are; by default true. */
  isCount?: boolean
  kind?: 'line' | 'bar'
  formatY?: (y: number) => string
  series: readonly Series[]
  /** Drawn as lines across; their texts stand below the chart, and above it for the place the pointer is at. */
  marks?: readonly ChartMark[]
  height?: number
}

const noMarks: readonly ChartMark[] = []

/** A line chart, with its figures in words for the place the pointer is at, and as a table. */
export function Chart(props: ChartProps) {
  const { caption, x, nameX, nameTick, series, kind = 'line', height = 220 } = props
  const { formatY = formatCount, isTime = true, isCount = true, marks = noMarks } = props
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [at, setAt] = useState<number | null>(null)
  const [isTable, setTable] = useState(false)
  const theme = useTheme()
  const marked = useMemo(() => marksByPlace(marks, x), [marks, x])
  const textsAt = (place: number) => (marked.get(place) ?? []).map(({ text }) => text).join(' · ')

  useEffect(() => {
    if (!frame.current || isTable) return
    const marksAt = [...marked.keys()]
    const drawing = { x, series, marksAt, isTime, isCount, kind, height, formatY, onPlace: setAt }
    plot.current = drawChart(frame.current, { ...drawing, ...(nameTick ? { nameTick } : {}) })
    return () => {
      setAt(null)
      plot.current?.destroy()
    }
  }, [x, series, marked, isTime, kind, height, isTable, theme])

  const columns = useMemo(
    () => [
      { title: isTime ? 'Time' : '', value: (row: number) => nameX(x[row] ?? 0) },
      ...series.map(({ title, values }) => ({
        title,
        isNumber: true,
        value: (row: number) => {
          const value = values[row]
          return value == null ? '' : formatY(value)
        },
      })),
      ...(marked.size > 0 ? [{ title: 'Marked', value: textsAt }] : []),
    ],
    [x, series, marked],
  )
  const table = { caption, columns, rows: [...x.keys()], rowKey: (row: number) => row }

  return (
    <figure class="chart" aria-label={caption}>
      <figcaption class="chart-legend">
        <span class="chart-place">{at === null ? ' ' : nameX(x[at] ?? 0)}</span>
        {series.map(({ title, values, isBefore }, index) => {
          const value = at === null ? null : values[at]
          return (
            <span key={title} class={`chart-key is-${isBefore ? 'before' : index}`}>
              {title}
              {value != null && <b> {formatY(value)}</b>}
            </span>
          )
        })}
        {at !== null && marked.has(at) && <span class="chart-key is-mark">{textsAt(at)}</span>}
        <button
          class="button quiet"
          type="button"
          aria-pressed={isTable}
          aria-label={`Table: ${caption}`}
          onClick={() => setTable(!isTable)}
        >
          Table
        </button>
      </figcaption>
      {isTable ? (
        <Table {...table} />
      ) : (
        <>
          <div ref={frame} class="chart-frame" aria-hidden="true" />
          {marked.size > 0 && (
            <ul class="chart-marks" aria-hidden="true">
              {[...marked.keys()].map((place) => (
                <li key={place}>
                  <span class="soft">{nameX(x[place] ?? 0)}</span> {textsAt(place)}
                </li>
              ))}
            </ul>
          )}
          <div class="visually-hidden">
            <PlainTable {...table} />
          </div>
        </>
      )}
    </figure>
  )
}
