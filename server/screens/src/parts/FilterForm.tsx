import { useId, useRef, useState } from 'preact/hooks'
import { askChoices, type Asking } from '../data/asks'
import {
  type Counted,
  type Field,
  fields,
  findField,
  isBare,
  propertyField,
  traitField,
} from '../data/fields'
import { type Filter, parseFilter } from '../data/filters'
import { isGuest } from '../data/guest'
import { ask } from '../data/query'
import { useAnswer } from '../data/useAnswer'
import { guestFields } from '../address/guestAddress'
import { useScope } from '../address/scope'
import { ChoiceInput, Choices } from './ChoiceInput'
import { FilterValue, type ValueProps } from './FilterValue'

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
