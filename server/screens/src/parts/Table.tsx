import { useEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'

interface Sort {
  /** Undefined while another column is sorted by. */
  order: 'ascending' | 'descending' | undefined
  choose: () => void
}

export interface TableColumn<Row> {
  title: string
  value: (row: Row) => ComponentChildren
  isNumber?: boolean
  /** From 0 to 1: how long the bar behind the value is. */
  bar?: (row: Row) => number
  /** The title is a button that sorts by the column. */
  sort?: Sort
}

export interface TableProps<Row> {
  /** For screen readers. */
  caption: string
  columns: readonly TableColumn<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  /** A click on a row does what the button in its first cell does. */
  chooseRow?: ((row: Row) => void) | undefined
  /** On a phone each row is a block of lines. */
  isStacked?: boolean
}

/** A click on a control is that control's own, and one that ends a selection of text is none. */
const isOfRow = ({ target }: Event) =>
  target instanceof Element && !target.closest('a, button, input, summary') && !getSelection()?.toString()

const arrows = { ascending: '↑', descending: '↓' }

const SortButton = ({ title, sort: { order, choose } }: { title: string; sort: Sort }) => (
  <button class="sort-button" type="button" title={`Sort by ${title}`} onClick={choose}>
    {title} <span aria-hidden="true">{order ? arrows[order] : ''}</span>
  </button>
)

/** A table whose first column names its rows. */
export function PlainTable<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, rowKey, chooseRow, isStacked = false } = props
  return (
    <table class={isStacked ? 'table is-stacked' : 'table'}>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, isNumber, sort }) => (
            <th key={title} scope="col" class={isNumber ? 'is-number' : undefined} aria-sort={sort?.order}>
              {sort ? <SortButton title={title} sort={sort} /> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr
            key={rowKey(row)}
            class={chooseRow ? 'is-choice' : undefined}
            onClick={chooseRow && ((event) => isOfRow(event) && chooseRow(row))}
          >
            {columns.map(({ title, value, isNumber, bar }, at) => {
              const Cell = at === 0 ? 'th' : 'td'
              return (
                <Cell
                  key={title}
                  data-title={isStacked ? title : undefined}
                  scope={at === 0 ? 'row' : undefined}
                  class={`${isNumber ? 'is-number' : ''}${bar ? ' has-bar' : ''}`}
                  style={bar ? { '--share': String(Math.min(1, Math.max(0, bar(row)))) } : undefined}
                >
                  {value(row)}
                </Cell>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** More rows are scrolled within the table, below its head. */
const mostRows = 100

/** A table that is scrolled within its card where it is too wide or too long, by the keyboard, too. */
export function Table<Row>(props: TableProps<Row>) {
  const frame = useRef<HTMLDivElement>(null)
  const [isScrolled, setScrolled] = useState(false)
  const isLong = props.rows.length > mostRows

  useEffect(() => {
    const element = frame.current
    if (!element) return
    const look = () =>
      setScrolled(element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight)
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  return (
    <div
      ref={frame}
      class={`table-frame ${isLong ? 'is-long' : ''}`}
      {...(isScrolled ? { tabIndex: 0, role: 'group', 'aria-label': props.caption } : {})}
    >
      <PlainTable {...props} />
    </div>
  )
}
