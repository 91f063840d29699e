import { useContext, useMemo } from 'preact/hooks'
import { askOf } from '../../data/asks'
import type { Json } from '../../data/query'
import { AnswerCard } from '../../parts/AnswerCard'
import { formatCount } from '../../parts/format'
import { Moment } from '../../parts/Moment'
import { OnlyThese } from '../../parts/OnlyThese'
import { PersonLink } from '../../parts/cells'
import { OneCard } from '../../parts/oneCard'
import { Table, type TableColumn } from '../../parts/Table'
import { Traits } from '../../parts/Properties'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { type Order, readOrder } from './personOrder'

/** How many people are shown at first, and how many more at once. */
const few = 50
const many = 1000

type Row = readonly Json[]
/** Names are sorted from A on, all else from the most, or the newest, on. */
const columns: readonly (TableColumn<Row> & { by: Order['by'] })[] = [
  {
    by: 'person',
    title: 'Person',
    value: ([id, name]) => (
      <>
        <PersonLink id={String(id)} name={String(name)} />
        {name !== id && <span class="soft break person-id"> {String(id)}</span>}
      </>
    ),
  },
  { by: 'traits', title: 'Traits', value: ([, , , traits]) => <Traits of={traits} /> },
  { by: 'ids', title: 'Ids', isNumber: true, value: ([, , ids]) => formatCount(Number(ids)) },
  { by: 'events', title: 'Events', isNumber: true, value: (row) => formatCount(Number(row[4])) },
  { by: 'first', title: 'First seen', value: (row) => <Moment time={String(row[5])} show="day" /> },
  { by: 'last', title: 'Last seen', value: (row) => <Moment time={String(row[6])} /> },
]

/** How many there are, of whom some are shown. */
const peopleIn = (rows: readonly Row[]) => Number(rows[0]?.[7])
const countText = (rows: readonly Row[]) => {
  const people = peopleIn(rows)
  const text = `${formatCount(people)} ${people === 1 ? 'person' : 'people'}`
  return rows.length < people ? `${text}; the first ${formatCount(rows.length)} are shown` : text
}

function SearchForm({ text }: { text: string }) {
  const [, setSearch] = useSearch()
  const submit = (event: Event) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget as HTMLFormElement)
    setSearch({ q: String(data.get('q')).trim() || undefined, more: undefined })
  }
  return (
    <form class="search" role="search" onSubmit={submit}>
      <label class="visually-hidden" for="person-search">
        An id, or a part of an id or trait
      </label>
      <input
        key={text}
        id="person-search"
        type="search"
        name="q"
        defaultValue={text}
        placeholder="Id, name, email, session id …"
        spellcheck={false}
        autocapitalize="none"
      />
      <button class="button strong">Search</button>
    </form>
  )
}

/** Who was seen in the time, or who fits what is searched for at any time; as the filters and the order say. */
export function PersonList() {
  const scope = useScope()
  const [search, setSearch] = useSearch()
  const isPage = useContext(OneCard) === undefined
  const text = search.get('q') ?? ''
  const sorted = search.get('sort')
  const more = Number(search.get('more') ?? 0)
  const limit = more >= 1 ? Math.floor(more) * many : few
  const order = useMemo(() => readOrder(sorted), [sorted])
  const ask = askOf('people', scope, {
    search: text || undefined,
    order: order.by,
    ascending: !order.isDescending,
    most: limit,
  })

  const sortBy = (by: Order['by']) => {
    const isDescending = by === order.by ? !order.isDescending : by !== 'person'
    setSearch({ sort: `${isDescending ? '-' : ''}${by}` }, { replace: true })
  }
  const nobody = text
    ? 'Nobody fits. Of ids and traits a part is enough; a session or device is found by its whole id.'
    : 'Nobody was seen in this time.'

  return (
    <>
      {isPage && <SearchForm text={text} />}
      <AnswerCard
        name="people"
        title={text ? `People with “${text}”` : 'People'}
        ask={ask}
        whole={{ ...ask, most: null }}
        empty={nobody}
      >
        {(answer) => (
          <>
            <p class="soft">{countText(answer.rows)}</p>
            {text !== '' && (
              <OnlyThese
                ids={answer.rows.map(([id]) => String(id))}
                all={peopleIn(answer.rows)}
                without="q"
              />
            )}
            <Table<Row>
              caption="People"
              rows={answer.rows}
              rowKey={([id]) => String(id)}
              isStacked
              columns={columns.map(({ by, ...column }) => ({
                ...column,
                sort: {
                  order: by === order.by ? (order.isDescending ? 'descending' : 'ascending') : undefined,
                  choose: () => sortBy(by),
                },
              }))}
            />
            {answer.rows.length < peopleIn(answer.rows) && (
              <button
                class="button"
                type="button"
                onClick={() => setSearch({ more: String(Math.floor(limit / many) + 1) }, { replace: true })}
              >
                Show more
              </button>
            )}
          </>
        )}
      </AnswerCard>
    </>
  )
}
