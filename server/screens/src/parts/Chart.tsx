import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { drawChart } from './drawChart'
import { formatCount } from './format'
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
  height?: number
}

/** A line chart, with its figures in words for the place the pointer is at, and as a table. */
export function Chart(props: ChartProps) {
  const { caption, x, nameX, nameTick, series, kind = 'line', height = 220 } = props
  const { formatY = formatCount, isTime = true, isCount = true } = props
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [at, setAt] = useState<number | null>(null)
  const [isTable, setTable] = useState(false)
  const theme = useTheme()

  useEffect(() => {
    if (!frame.current || isTable) return
    const drawing = { x, series, isTime, isCount, kind, height, formatY, onPlace: setAt }
    plot.current = drawChart(frame.current, { ...drawing, ...(nameTick ? { nameTick } : {}) })
    return () => {
      setAt(null)
      plot.current?.destroy()
    }
  }, [x, series, isTime, kind, height, isTable, theme])

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
    ],
    [x, series],
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
          <div class="visually-hidden">
            <PlainTable {...table} />
          </div>
        </>
      )}
    </figure>
  )
}
