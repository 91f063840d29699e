import { useMemo } from 'preact/hooks'
import type { Answer } from '../../data/query'
import { formatCount } from '../../parts/format'
import { Table } from '../../parts/Table'
import { useSearch } from '../../shell/useSearch'
import { type Dimension, showValue } from './dimensions'

interface Row {
  value: string | null
  count: number
  people: number
}

const counted = { sessions: 'Sessions', page_views: 'Views', events: 'Times' }

/** The values of a dimension with a bar each; a click filters by one. */
export function Ranking({ answer, dimension }: { answer: Answer; dimension: Dimension }) {
  const [, setSearch] = useSearch()
  const rows = useMemo(
    () =>
      answer.rows.map(([value, count, people]): Row => ({
        value: value === null || value === undefined ? null : String(value),
        count: Number(count),
        people: Number(people),
      })),
    [answer],
  )
  const most = Math.max(1, ...rows.map(({ count }) => count))
  return (
    <Table
      caption={`${dimension.title} by ${counted[dimension.of].toLowerCase()}`}
      rows={rows}
      rowKey={({ value }) => (value === null ? 'none' : `value ${value}`)}
      columns={[
        {
          title: dimension.title,
          bar: ({ count }) => count / most,
          value: ({ value }) => (
            <button
              type="button"
              class={value === null ? 'cell-button soft' : 'cell-button'}
              title="Show only such sessions"
              onClick={() => setSearch({ [dimension.name]: value ?? '' })}
            >
              {showValue(dimension, value)}
            </button>
          ),
        },
        { title: counted[dimension.of], isNumber: true, value: ({ count }) => formatCount(count) },
        { title: 'People', isNumber: true, value: ({ people }) => formatCount(people) },
      ]}
    />
  )
}
