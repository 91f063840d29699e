import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { type Field, showValue } from '../data/fields'
import { isFixed } from '../data/guest'
import type { Json } from '../data/query'
import { useFilters } from '../address/useFilters'
import { CellButton } from './cells'
import { Table, type TableColumn } from './Table'

interface Figure {
  title: string
  format: (figure: number, row: readonly Json[]) => string
}

interface Props {
  caption: string
  field: Pick<Field, 'name' | 'title' | 'none'>
  /** A value, its figures in their order, and what else `more` reads. */
  rows: readonly Json[][]
  figures: readonly Figure[]
  /** What a value looks like that is no text. */
  show?: (row: readonly Json[], value: string) => ComponentChildren
  /** What tells rows of one value apart. */
  keyOf?: (row: readonly Json[]) => string
  /** Columns behind the figures. */
  more?: readonly TableColumn<readonly Json[]>[]
}

/** A phone has room for as many columns of figures beside the values. */
const mostBeside = 3

const valueOf = ([value]: readonly Json[]) => (value === null || value === undefined ? null : String(value))

/** The values of a field, with a bar of the first figure; a click anywhere on a row filters by its value. */
export function ValueTable({ caption, field, rows, figures, show, keyOf, more = [] }: Props) {
  const { add } = useFilters()
  const most = useMemo(() => Math.max(0, ...rows.map((row) => Number(row[1] ?? 0))) || 1, [rows])
  const choose = isFixed()
    ? undefined
    : (row: readonly Json[]) => add({ field: field.name, operator: 'is', values: [valueOf(row) ?? ''] })
  return (
    <Table<readonly Json[]>
      caption={caption}
      rows={rows}
      rowKey={(row) => `${valueOf(row) === null ? 'none' : `value ${valueOf(row)}`} ${keyOf?.(row) ?? ''}`}
      chooseRow={choose}
      isStacked={figures.length + more.length > mostBeside}
      columns={[
        {
          title: field.title,
          bar: (row) => Number(row[1] ?? 0) / most,
          value: (row) => {
            const value = valueOf(row)
            if (show && value !== null) return show(row, value)
            return (
              <CellButton
                class={value === null ? 'soft' : ''}
                title={`Show only ${showValue(field, value)}`}
                choose={choose && (() => choose(row))}
              >
                {showValue(field, value)}
              </CellButton>
            )
          },
        },
        ...figures.map(({ title, format }, at) => ({
          title,
          isNumber: true,
          value: (row: readonly Json[]) => {
            const figure = row[at + 1]
            return figure === null || figure === undefined ? '–' : format(Number(figure), row)
          },
        })),
        ...more,
      ]}
    />
  )
}
