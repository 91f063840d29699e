import type { Json } from '../../data/query'
import { CellButton } from '../../parts/cells'
import { formatCount } from '../../parts/format'
import { Moment } from '../../parts/Moment'
import { Table, type TableColumn } from '../../parts/Table'
import { useFilters } from '../../address/useFilters'
import { type DriftColumn, ofTraits, type Order } from './driftOrder'

type Row = readonly Json[]

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '–')

const columns: readonly (TableColumn<Row> & { by: DriftColumn })[] = [
  { by: 'property', title: 'Property', value: ([, property]) => <span class="break">{text(property)}</span> },
  { by: 'problem', title: 'Problem', value: ([, , problem]) => <span class="break">{text(problem)}</span> },
  { by: 'events', title: 'Events', isNumber: true, value: (row) => formatCount(Number(row[3])) },
  { by: 'first_seen', title: 'Since', value: (row) => <Moment time={text(row[4])} show="day" /> },
  {
    by: 'first_release',
    title: 'From release',
    value: (row) => <span class="break">{text(row[5])}</span>,
  },
  { by: 'last_seen', title: 'Last seen', value: (row) => <Moment time={text(row[6])} show="recent" /> },
]

interface Props {
  rows: readonly Json[][]
  order: Order
  sortBy: (by: DriftColumn) => void
}

/** What is sent and is not as the plan has it; a click on a row shows its event alone. */
export function DriftTable({ rows, order, sortBy }: Props) {
  const { add } = useFilters()
  const choose = ([event]: Row) => {
    if (event !== ofTraits) add({ field: 'event', operator: 'is', values: [text(event)] })
  }
  const named: TableColumn<Row> & { by: DriftColumn } = {
    by: 'event',
    title: 'Event',
    value: (row) =>
      row[0] === ofTraits ? (
        'Traits of users'
      ) : (
        <CellButton class="break" title="Show only this event" choose={() => choose(row)}>
          {text(row[0])}
        </CellButton>
      ),
  }
  return (
    <Table<Row>
      caption="What is not as the plan has it"
      rows={rows}
      rowKey={([event, property, problem]) => JSON.stringify([event, property, problem])}
      chooseRow={choose}
      isStacked
      columns={[named, ...columns].map(({ by, ...column }) => ({
        ...column,
        sort: {
          order: by === order.by ? (order.isDescending ? 'descending' : 'ascending') : undefined,
          choose: () => sortBy(by),
        },
      }))}
    />
  )
}
