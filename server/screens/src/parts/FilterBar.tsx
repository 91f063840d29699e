import { useState } from 'preact/hooks'
import { type Counted, fieldOf, showValue } from '../data/fields'
import {
  describeFilter,
  type Filter,
  filterParameter,
  isDeed,
  joinsOf,
  type Operator,
  readFilters,
  writeFilter,
} from '../data/filters'
import { isFixed } from '../data/guest'
import { useMayWrite } from '../data/login'
import { save, useSaved } from '../data/saved'
import { askChoices } from '../data/asks'
import { useAnswer } from '../data/useAnswer'
import { useSearch } from '../address/location'
import { useScope } from '../address/scope'
import { useFilters } from '../address/useFilters'
import { FilterForm } from './FilterForm'
import { FormDialog } from './FormDialog'

const ofOne: readonly Operator[] = ['is', 'not', 'did', 'did_not']

/** Says that nobody has sent such a value, and which are like it. */
function ValueNote({ filter }: { filter: Filter }) {
  const scope = useScope()
  const { change } = useFilters()
  const [value = ''] = filter.values
  const isAsked =
    ofOne.includes(filter.operator) && value !== '' && !(isDeed(filter) && value.startsWith('/'))
  const { answer } = useAnswer(
    isAsked && !isFixed()
      ? askChoices('value_choices', scope, { field: filter.field, search: value })
      : undefined,
  )
  if (!isAsked || !answer || answer.rows.some(([, , isIt]) => isIt === true)) return null
  const field = fieldOf(filter.field)
  return (
    <p class="soft filter-note" role="status">
      In this time there is no {field.title} “{showValue(field, value)}”.
      {answer.rows.length > 0 && ' Did you mean '}
      {answer.rows.slice(0, 3).map(([like]) => (
        <button
          key={String(like)}
          class="button"
          type="button"
          onClick={() => change(filter, { ...filter, values: [String(like)] })}
        >
          {showValue(field, String(like))}
        </button>
      ))}
      {answer.rows.length > 0 && '?'}
    </p>
  )
}

/** A filter, with how it is joined with those before it. A click on one removes it, one on the other changes it. */
function FilterChip({ filter, before }: { filter: Filter; before: readonly Filter[] }) {
  const { change, remove } = useFilters()
  const text = describeFilter(filter)
  const { join: now = 'and' } = filter
  const joins = joinsOf(before, filter)
  const next = joins[(joins.indexOf(now) + 1) % joins.length] ?? 'and'
  return (
    <li>
      {before.length > 0 &&
        (isFixed() ? (
          <span class="soft">{now} </span>
        ) : (
          <button
            class="button quiet"
            type="button"
            title={`Change to ${next}`}
            aria-label={`${now}, before ${text}: change to ${next}`}
            onClick={() => change(filter, { ...filter, join: next })}
          >
            {now}
          </button>
        ))}
      {isFixed() ? (
        text
      ) : (
        <button
          class="button"
          type="button"
          aria-label={`Remove the filter ${text}`}
          onClick={() => remove(filter)}
        >
          {text} <span aria-hidden="true">×</span>
        </button>
      )}
    </li>
  )
}

const toSearch = (filters: readonly Filter[]) =>
  new URLSearchParams(filters.map((each) => [filterParameter, writeFilter(each)])).toString()

/** Segments that are kept by a name for all users, and a way to keep the one that is shown. */
function Segments() {
  const segments = useSaved('segment')
  const { filters, set } = useFilters()
  const mayWrite = useMayWrite()
  const [isEdited, setEdited] = useState(false)
  const search = toSearch(filters)
  const shown = segments.find(({ value }) => value.search === search)
  return (
    <>
      {segments.length > 0 && (
        <select
          aria-label="Segment"
          value={shown?.name ?? ''}
          onChange={({ currentTarget }) => {
            const chosen = segments.find(({ name }) => name === currentTarget.value)
            set(readFilters(new URLSearchParams(chosen?.value.search)))
          }}
        >
          <option value="">{filters.length > 0 ? 'Kept segments' : 'No segment'}</option>
          {segments.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      {mayWrite && filters.length > 0 && (
        <button class="button quiet" type="button" onClick={() => setEdited(true)}>
          {shown ? 'Change the segment' : 'Keep as segment'}
        </button>
      )}
      {isEdited && (
        <FormDialog
          title={shown ? 'Change the segment' : 'Keep as segment'}
          close={() => setEdited(false)}
          save={async ({ name = '' }) => {
            if (name !== shown?.name && segments.some((each) => each.name === name))
              throw new Error(`There is a segment ${name} already.`)
            await save('segment', { name, value: { search }, was: shown?.name })
          }}
          remove={shown && (() => save('segment', { name: shown.name, value: null }))}
        >
          <label>
            Name
            <input name="name" defaultValue={shown?.name ?? ''} maxLength={120} required />
          </label>
          {!shown && <p class="soft">It keeps the filters, for all pages and all users.</p>}
        </FormDialog>
      )}
    </>
  )
}

/** The segment: a field for one more filter, those there are, each with a button that ends it, and segments that are kept. */
export function FilterBar({ of }: { of: Counted }) {
  const { filters, add, set } = useFilters()
  const [search] = useSearch()
  // Whose properties are offered first.
  const event =
    filters.find(({ field }) => field === 'event')?.values[0] ?? search.get('event') ?? search.get('step')
  return (
    <div class="filters">
      {!isFixed() && <FilterForm of={of} event={event || undefined} add={add} />}
      <span class="soft" id="filters-title">
        {filters.length === 0 ? `All ${of}` : of === 'people' ? 'Only people:' : `Only ${of} with`}
      </span>
      {filters.length > 0 && (
        <ul aria-labelledby="filters-title">
          {filters.map((filter, at) => (
            <FilterChip key={writeFilter(filter)} filter={filter} before={filters.slice(0, at)} />
          ))}
        </ul>
      )}
      {filters.length > 1 && !isFixed() && (
        <button class="button quiet" type="button" onClick={() => set([])}>
          Remove all
        </button>
      )}
      {!isFixed() && <Segments />}
      {filters.map((filter) => (
        <ValueNote key={writeFilter(filter)} filter={filter} />
      ))}
    </div>
  )
}
