import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { askChoices, type Asking } from '../data/asks'
import {
  type Counted,
  type Field,
  fields,
  findField,
  isBare,
  propertyField,
  showValue,
  traitField,
} from '../data/fields'
import { type Filter, isDeed, type Operator, operatorsOf, parseFilter, toFilter } from '../data/filters'
import { isGuest } from '../data/guest'
import { ask } from '../data/query'
import { useAnswer } from '../data/useAnswer'
import { guestFields } from '../address/guestAddress'
import { useScope } from '../address/scope'
import { ChoiceInput, ChoiceList, Choices } from './ChoiceInput'

const takesMany = (operator: Operator) => ['in', 'out', 'between', 'did', 'did_not'].includes(operator)

const split = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/**
 * The property or, where there is none, the trait of a name that somebody typed in any case; among people first the trait.
 * Undefined where neither is known.
 */
async function resolveName(name: string, scope: Asking, of: Counted): Promise<Field | undefined> {
  const find = async (answer: string, toField: (name: string) => Field) => {
    const { rows } = await ask(askChoices(answer, scope, { search: name }))
    const names = rows.map(([each]) => String(each))
    const found = names.find((each) => each === name) ?? names.find((each) => isSame(each, name))
    return found === undefined ? undefined : toField(found)
  }
  const finders = [
    () => find('property_choices', propertyField),
    () => find('trait_choices', traitField),
  ] as const
  const [first, second] = of === 'people' ? finders.toReversed() : finders
  // Without an answer the name counts as it was typed.
  return (await first?.().catch(() => undefined)) ?? (await second?.().catch(() => undefined))
}
const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** Names of properties that the service adds to events: few want to filter by them. */
const ownName = /^(prop\.)?(\$|(insert_id|stack)$)/

interface ListProps {
  id: string
  of: Counted
  /** Whose properties come first. */
  event: string | undefined
  /** What has been typed; undefined while nobody chooses. */
  typed: string | undefined
}

/** Columns, and the properties and traits that were seen, each with how often: looked for by what is typed. */
function FieldList({ id, of, event, typed }: ListProps) {
  const scope = useScope()
  const search = typed?.replace(/^trait[ .]|^prop\./i, '') || undefined
  const find = (name: string, more: { event?: string } = {}) =>
    typed === undefined || isGuest ? undefined : askChoices(name, scope, { search, ...more })
  const ofEvent = useAnswer(event === undefined ? undefined : find('property_choices', { event })).answer
  const ofAll = useAnswer(find('property_choices')).answer
  const ofPeople = useAnswer(find('trait_choices')).answer
  const named = (answer: typeof ofAll, title: (name: string) => string) =>
    answer?.rows.map(([name, times]) => [title(String(name)), Number(times)] as const) ?? []
  const ofProperty = (name: string) => (of === 'people' || !isBare(name) ? propertyField(name).name : name)
  const columns = (isGuest ? guestFields : fields).map(({ title }) => [title, undefined] as const)
  const traits = named(ofPeople, (name) => traitField(name).title)
  const choices = [
    ...named(ofEvent, ofProperty),
    ...(of === 'people' ? [...traits, ...columns] : columns),
    ...named(ofAll, ofProperty),
    ...(of === 'people' ? [] : traits),
  ]
  const each = [...new Map(choices.toReversed()).entries()].toReversed()
  return (
    <Choices
      id={id}
      choices={each.toSorted(([a], [b]) => Number(ownName.test(a)) - Number(ownName.test(b)))}
    />
  )
}

interface ValueProps {
  of: Counted
  field: Field
  add: (filter: Filter) => void
}

const readCount = (input: HTMLInputElement | null) => {
  const count = input?.valueAsNumber ?? 0
  return Number.isInteger(count) && count > 0 ? count : undefined
}

/** What the field that was named must be. */
function FilterValue({ of, field, add }: ValueProps) {
  const scope = useScope()
  const list = useId()
  const isOfPeople = of === 'people' && field.name === 'event'
  const [operator, setOperator] = useState<Operator>(isOfPeople ? 'did' : 'is')
  const [typed, setTyped] = useState('')
  const form = useRef<HTMLFieldSetElement>(null)
  useEffect(() => form.current?.querySelector('input')?.focus(), [field.name])
  const countOf = (name: string) =>
    readCount(form.current?.querySelector<HTMLInputElement>(`input[name=${name}]`) ?? null)
  const take = (text: string) => {
    const values = takesMany(operator) && text !== '' ? split(text) : [text]
    const [times, days] = isDeed({ operator }) ? [countOf('times'), countOf('days')] : []
    if (values.length > 0)
      add({ ...toFilter(field.name, operator, values), ...(times && { times }), ...(days && { days }) })
  }
  return (
    <fieldset ref={form} class="filter-value" aria-label={field.title}>
      <select
        aria-label={`How ${field.title} is compared`}
        value={operator}
        onChange={(event) => {
          const chosen = event.currentTarget.value
          setOperator(operatorsOf(field.name).find(([name]) => name === chosen)?.[0] ?? 'is')
        }}
      >
        {operatorsOf(field.name).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      {isDeed({ operator }) && (
        <>
          <label class="soft">
            at least{' '}
            <input name="times" type="number" min={1} max={10_000} placeholder="1" aria-label="Times" /> times
          </label>
          <label class="soft">
            in the last{' '}
            <input name="days" type="number" min={1} max={10_000} placeholder="all" aria-label="Days" /> days:
          </label>
        </>
      )}
      <ChoiceList
        id={list}
        ask={askChoices('value_choices', scope, { field: field.name, search: typed || undefined })}
        show={(value) => showValue(field, value)}
      />
      <ChoiceInput
        label={`Value of ${field.title}`}
        value=""
        list={list}
        placeholder={operator === 'between' ? 'from, to' : takesMany(operator) ? 'one, another' : 'value'}
        typing={setTyped}
        choose={take}
      />
      {(operator === 'is' || operator === 'not') && (
        <button class="button quiet" type="button" onClick={() => take('')}>
          {field.none}
        </button>
      )}
    </fieldset>
  )
}

interface Props extends Omit<ValueProps, 'field'> {
  label?: string
  event: string | undefined
}

/** A field for a whole filter, such as plan=pro, or for the name of what is filtered by. */
export function FilterForm({ of, label = 'Filter by', event, add }: Props) {
  const list = useId()
  const scope = useScope()
  const [typed, setTyped] = useState<string>()
  const [field, setField] = useState<Field>()
  const form = useRef<HTMLDivElement>(null)
  const done = (filter: Filter) => {
    add(filter)
    setField(undefined)
    // The field that had the focus is gone.
    form.current?.querySelector('input')?.focus()
  }
  const take = async (text: string) => {
    const parsed = parseFilter(text, of)
    const name = parsed?.name ?? text
    const isOpen = !isGuest && name !== '' && isBare(name)
    const known = isOpen ? await resolveName(name, scope, of) : undefined
    if (parsed) done(known ? { ...parsed.filter, field: known.name } : parsed.filter)
    else setField(text ? (known ?? findField(text, of)) : undefined)
  }
  return (
    <div class="filter-form">
      <div
        ref={form}
        class={field ? 'filter-editor is-open' : 'filter-editor'}
        onFocusCapture={() => setTyped((before) => before ?? '')}
      >
        <FieldList id={list} of={of} event={event} typed={typed} />
        <ChoiceInput
          label={label}
          value={field?.title ?? ''}
          list={list}
          placeholder={
            of === 'people'
              ? 'plan=pro or event=Signed Up'
              : isGuest
                ? 'Filter, such as country=Germany'
                : 'Filter, such as plan=pro'
          }
          typing={setTyped}
          choose={(text) => void take(text)}
        />
        {field && <FilterValue key={field.name} of={of} field={field} add={done} />}
      </div>
    </div>
  )
}
