import type { ComponentChildren } from 'preact'

export interface TableColumn<Row> {
  title: string
  value: (row: Row) => ComponentChildren
  isNumber?: boolean
  /** From 0 to 1: how long the bar behind the value is. */
  bar?: (row: Row) => number
}

export interface TableProps<Row> {
  /** For screen readers. */
  caption: string
  columns: readonly TableColumn<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
}

/** A table whose first column names its rows. */
export function PlainTable<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <table class="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, isNumber }) => (
            <th key={title} scope="col" class={isNumber ? 'is-number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map(({ title, value, isNumber, bar }, at) => {
              const Cell = at === 0 ? 'th' : 'td'
              return (
                <Cell
                  key={title}
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
