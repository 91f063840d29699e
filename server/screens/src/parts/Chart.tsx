import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { drawChart } from './drawChart'
import { formatCount } from './format'
import { type ChartMark, marksByPlace } from './marks'
import { Table, PlainTable } from './Table'
import { useScope } from '../address/scope'
import { partAt } from '../address/listTimes'
import { openPage, type SearchChange, useSearch } from '../address/location'
import { toDay, type Unit } from '../address/timeRange'
import { usePeopleOf } from '../address/usePeopleOf'

const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)']

/** Another text whenever the colours of the page change, for what is drawn on a canvas. */
function useTheme(): string {
  const read = () => queries.map((query) => matchMedia(query).matches).join()
  const [theme, setTheme] = useState(read)
  useEffect(() => {
    const lists = queries.map((query) => matchMedia(query))
    const look = () => setTheme(read())
    for (const list of lists) list.addEventListener('change', look)
    return () => {
      for (const list of lists) list.removeEventListener('change', look)
    }
  }, [])
  return theme
}

export interface Series {
  title: string
  /** One for each of `x`; null is a gap. */
  values: readonly (number | null)[]
  /** Drawn fainter and dashed: what is compared with. */
  isBefore?: boolean
  /** Drawn dotted: what another program has counted. */
  isOthers?: boolean
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
  /** What the last place stands for goes on: its figures will grow, so they are drawn dashed. */
  isOpen?: boolean
  /** Drawn as lines across; their texts stand below the chart, and above it for the place the pointer is at. */
  marks?: readonly ChartMark[]
  height?: number
  /** Each place is such a part of the time that the page shows: a drag sets the time. */
  unit?: Unit
  /** What the address of People says of the people whom a place counts, or one of its lines: a click lists them. */
  people?: SearchChange | ((series: number) => SearchChange | undefined) | undefined
}

const noMarks: readonly ChartMark[] = []

/** A line chart, with its figures in words for the place the pointer is at, and as a table. */
export function Chart(props: ChartProps) {
  const { caption, x, nameX, nameTick, series, unit, people, kind = 'line', height = 220 } = props
  const { formatY = formatCount, isTime = true, isCount = true, isOpen = false, marks = noMarks } = props
  const { range } = useScope()
  const [, setSearch] = useSearch()
  const peopleOf = usePeopleOf()
  const isApart = typeof people === 'function'
  const addressAt = (place: number, line = 0) => {
    const figure = isApart ? people(line) : people
    if (!unit || !figure || !peopleOf) return undefined
    const { from, until } = partAt(x[place] ?? 0, unit, range)
    return peopleOf({ ...figure, at: `${from.toISOString()}/${until.toISOString()}` })
  }
  // What is drawn asks for the newest when it is clicked.
  const newest = useRef(addressAt)
  newest.current = addressAt
  const canOpen = series.some((_, line) => addressAt(0, line) !== undefined)
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [at, setAt] = useState<number | null>(null)
  const [isTable, setTable] = useState(false)
  const theme = useTheme()
  const marked = useMemo(() => marksByPlace(marks, x), [marks, x])
  const nameAt = (place: number) =>
    nameX(x[place] ?? 0) + (isOpen && place === x.length - 1 ? ', goes on' : '')
  const textsAt = (place: number) => (marked.get(place) ?? []).map(({ text }) => text).join(' · ')

  useEffect(() => {
    if (!frame.current || isTable) return
    const marksAt = [...marked.keys()]
    const acts = {
      ...(canOpen && {
        onOpen(place: number, line: number) {
          const address = newest.current(place, line)
          if (address) openPage(address)
        },
      }),
      ...(unit && {
        onZoom: (from: number, until: number) =>
          setSearch({
            range: 'custom',
            from: toDay(new Date(from * 1000)),
            until: toDay(new Date(until * 1000)),
          }),
      }),
    }
    const drawing = {
      x,
      series,
      marksAt,
      isOpen,
      isTime,
      isCount,
      kind,
      height,
      formatY,
      onPlace: setAt,
      ...acts,
    }
    plot.current = drawChart(frame.current, { ...drawing, ...(nameTick ? { nameTick } : {}) })
    return () => {
      setAt(null)
      plot.current?.destroy()
    }
  }, [x, series, marked, isOpen, isTime, kind, height, isTable, theme, unit, canOpen])

  const columns = useMemo(
    () => [
      { title: isTime ? 'Time' : '', value: nameAt },
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
    [x, series, marked, isOpen],
  )
  // By the keyboard, the same as a click on the place or on one of its lines.
  const linked = columns.map((column, index) => ({
    ...column,
    value(row: number) {
      const text = column.value(row)
      const address = isApart && index > 0 && text !== '' ? addressAt(row, index - 1) : undefined
      return address ? (
        <a class="figure-link" href={address} aria-label={`${text}, ${column.title}, ${nameAt(row)}: people`}>
          {text}
        </a>
      ) : (
        text
      )
    },
  }))
  const peopleColumn =
    canOpen && !isApart
      ? [
          {
            title: 'Who',
            value: (row: number) => (
              <a href={addressAt(row) ?? ''} aria-label={`People of ${nameAt(row)}`}>
                People
              </a>
            ),
          },
        ]
      : []
  const table = { caption, columns, rows: [...x.keys()], rowKey: (row: number) => row }

  return (
    <figure class="chart" aria-label={caption}>
      <figcaption class="chart-legend">
        <span class="chart-place">{at === null ? ' ' : nameAt(at)}</span>
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
        <Table {...table} columns={[...linked, ...peopleColumn]} />
      ) : (
        <>
          <div ref={frame} class={canOpen ? 'chart-frame is-choice' : 'chart-frame'} aria-hidden="true" />
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
