import type { Json } from '../../data/query'
import { isGuest } from '../../data/guest'
import { propertyField } from '../../data/fields'
import { CellButton } from '../../parts/cells'
import { formatCount } from '../../parts/format'
import { Moment } from '../../parts/Moment'
import { Table } from '../../parts/Table'
import { useFilters } from '../../address/useFilters'

/** The parts of the time whose counts make the small picture of a trend. */
const trendParts = 24

type Row = readonly Json[]

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/** How often there was one in each part of the time, as small bars. */
function Trend({ of }: { of: Json | undefined }) {
  const times = of && typeof of === 'object' && !Array.isArray(of) ? of : {}
  const counts = Array.from({ length: trendParts }, (_, part) => Number(times[part] ?? 0))
  const most = Math.max(1, ...counts)
  return (
    <svg class="error-trend" viewBox={`0 0 ${trendParts * 3} 16`} aria-hidden="true">
      {counts.map((count, part) => {
        const height = count === 0 ? 0 : Math.max(1, (count / most) * 16)
        return <rect key={part} x={part * 3} y={16 - height} width={2} height={height} />
      })}
    </svg>
  )
}

/** Each error, the most frequent first; a click on a row shows it alone. */
export function ErrorTable({ rows }: { rows: readonly Json[][] }) {
  const { add } = useFilters()
  // A message is a property, by which guests do not filter.
  const choose = isGuest
    ? undefined
    : ([message]: Row) =>
        add({ field: propertyField('message').name, operator: 'is', values: [text(message)] })
  return (
    <Table<Row>
      caption="Errors, the most frequent first"
      rows={rows}
      rowKey={([message, name]) => `${text(name)} ${text(message)}`}
      chooseRow={choose}
      isStacked
      columns={[
        {
          title: 'Message',
          value: (row) => (
            <CellButton
              class="error-message"
              title="Show only this error"
              choose={choose && (() => choose(row))}
            >
              {text(row[1]) && <span class="soft">{text(row[1])}: </span>}
              {text(row[0]) || '(no message)'}
            </CellButton>
          ),
        },
        { title: 'Times', isNumber: true, value: (row) => formatCount(Number(row[2])) },
        { title: 'People', isNumber: true, value: (row) => formatCount(Number(row[3])) },
        { title: 'Trend', value: (row) => <Trend of={row[7]} /> },
        { title: 'First release', value: (row) => text(row[4]) || '–' },
        { title: 'Last release', value: (row) => text(row[5]) || '–' },
        { title: 'Last seen', value: (row) => <Moment time={text(row[6])} show="recent" /> },
      ]}
    />
  )
}
