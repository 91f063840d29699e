import type { Json } from '../../data/query'
import { formatCount, formatShare } from '../../parts/format'
import { Table } from '../../parts/Table'

interface Props {
  step: number
  /** `[step, from_path, to_path, sessions, step_sessions, ways]`. */
  rows: readonly Json[][]
  begin: (path: string) => void
}

/** The ways of one step; a click on a page goes on from there. */
export function PathStep({ step, rows, begin }: Props) {
  const all = Number(rows[0]?.[4]) || 1
  return (
    <Table
      caption={`Ways of step ${step}`}
      rows={rows}
      rowKey={(row) => JSON.stringify(row)}
      columns={[
        { title: 'From', value: (row) => String(row[1]) },
        {
          title: 'To',
          bar: (row) => Number(row[3]) / all,
          value: (row) => {
            const to = row[2]
            if (typeof to !== 'string') return <span class="soft">(the session ended)</span>
            return (
              <button
                class="cell-button"
                type="button"
                title="Show the ways from here"
                onClick={() => begin(to)}
              >
                {to}
              </button>
            )
          },
        },
        {
          title: 'Sessions',
          isNumber: true,
          value: (row) => (
            <>
              {formatCount(Number(row[3]))} <span class="soft">{formatShare(Number(row[3]) / all)}</span>
            </>
          ),
        },
      ]}
    />
  )
}
