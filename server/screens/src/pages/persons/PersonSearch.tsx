import { useMemo } from 'preact/hooks'
import { type Json } from '../../data/query'
import { AnswerCard } from '../../parts/AnswerCard'
import { formatCount } from '../../parts/format'
import { Moment } from '../../parts/Moment'
import { PersonLink } from '../../parts/PersonLink'
import { Table } from '../../parts/Table'
import { useScope } from '../../shell/scope'
import { useSearch } from '../../shell/useSearch'
import { findPersons } from './statements'

const few = 50
const many = 1000

const describe = (traits: Json | undefined) =>
  traits && typeof traits === 'object' && !Array.isArray(traits)
    ? Object.entries(traits)
        .filter(([name]) => name !== 'name')
        .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(', ')
    : ''

/** A field for what is known of a person, and who fits, the newest first. */
export function PersonSearch() {
  const { environment } = useScope()
  const [search, setSearch] = useSearch()
  const text = search.get('q') ?? ''
  const limit = search.has('more') ? many : few
  const statement = useMemo(() => findPersons(environment, text, limit), [environment, text, limit])

  const submit = (event: Event) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget as HTMLFormElement)
    setSearch({ q: String(data.get('q')).trim() || undefined, more: undefined })
  }

  return (
    <>
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
          placeholder="Id, name, email, plan, session id …"
          spellcheck={false}
          autocapitalize="none"
        />
        <button class="button strong">Search</button>
      </form>
      <AnswerCard
        title={text ? `People with “${text}”` : 'Seen last'}
        statement={statement}
        empty={
          text
            ? 'Nobody fits. Ids and traits are searched for a part of them, sessions and devices for the whole id.'
            : 'There are no people yet. The first event brings one.'
        }
      >
        {(answer) => (
          <>
            <Table
              caption="People"
              rows={answer.rows}
              rowKey={([id]) => String(id)}
              columns={[
                {
                  title: 'Person',
                  value: ([id, name]) => (
                    <>
                      <PersonLink id={String(id)} name={String(name)} />
                      {name !== id && <span class="soft break person-id"> {String(id)}</span>}
                    </>
                  ),
                },
                { title: 'Traits', value: ([, , , traits]) => <span class="break">{describe(traits)}</span> },
                { title: 'Ids', isNumber: true, value: ([, , ids]) => formatCount(Number(ids)) },
                { title: 'Events', isNumber: true, value: (row) => formatCount(Number(row[4])) },
                { title: 'First seen', value: (row) => <Moment time={String(row[5])} show="day" /> },
                { title: 'Last seen', value: (row) => <Moment time={String(row[6])} /> },
              ]}
            />
            {answer.rows.length === limit && (
              <p class="soft">
                The first {formatCount(limit)} are shown.{' '}
                {limit === few && (
                  <button class="button" type="button" onClick={() => setSearch({ more: '1' })}>
                    Show more
                  </button>
                )}
              </p>
            )}
          </>
        )}
      </AnswerCard>
    </>
  )
}
