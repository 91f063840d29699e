import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { askOf } from '../data/asks'
import { type Counted, type Field, fields, findField, propertyField, traitField } from '../data/fields'
import { type Filter, nameOperator, type Operator, operators, parseFilter } from '../data/filters'
import { isGuest } from '../data/guest'
import { useAnswer } from '../data/useAnswer'
import { guestFields } from '../address/guestAddress'
import { useScope } from '../address/scope'
import { ChoiceInput, ChoiceList } from './ChoiceInput'

const takesMany = (operator: Operator) => operator === 'in' || operator === 'out'

const split = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** The columns, and the properties and traits that were seen. They are asked for when somebody is about to choose. */
function FieldList({ id, of, isUsed }: { id: string; of: Counted; isUsed: boolean }) {
  const scope = useScope()
  const find = (name: string) => (isUsed && !isGuest ? askOf(name, scope) : undefined)
  const names = (asked: ReturnType<typeof useAnswer>) =>
    asked.answer?.rows.map(([name]) => String(name)) ?? []
  const properties = names(useAnswer(find('property_choices')))
  const traits = names(useAnswer(find('trait_choices')))
  const found = {
    properties: properties.map((name) => (of === 'people' ? propertyField(name).name : name)),
    traits: traits.map((name) => traitField(name).title),
  }
  const seen =
    of === 'people' ? [...found.traits, ...found.properties] : [...found.properties, ...found.traits]
  return (
    <datalist id={id}>
      {(isGuest ? guestFields : fields).map(({ name, title }) => (
        <option key={name} value={title} />
      ))}
      {seen.map((name) => (
        <option key={`seen ${name}`} value={name} />
      ))}
    </datalist>
  )
}

interface ValueProps {
  of: Counted
  field: Field
  add: (filter: Filter) => void
}

/** What the field that was named must be. */
function FilterValue({ of, field, add }: ValueProps) {
  const scope = useScope()
  const list = useId()
  const [operator, setOperator] = useState<Operator>('is')
  const form = useRef<HTMLFieldSetElement>(null)
  useEffect(() => form.current?.querySelector('input')?.focus(), [field.name])
  const take = (text: string) => {
    const values = takesMany(operator) ? split(text) : [text]
    if (values.length > 0) add({ field: field.name, operator, values })
  }
  return (
    <fieldset ref={form} class="filter-value" aria-label={field.title}>
      <select
        aria-label={`How ${field.title} is compared`}
        value={operator}
        onChange={(event) => {
          const chosen = event.currentTarget.value
          setOperator(operators.find(([name]) => name === chosen)?.[0] ?? 'is')
        }}
      >
        {operators.map(([name]) => (
          <option key={name} value={name}>
            {nameOperator(name, field.name, of)}
          </option>
        ))}
      </select>
      <ChoiceList id={list} ask={askOf('value_choices', scope, { field: field.name })} />
      <ChoiceInput
        label={`Value of ${field.title}`}
        value=""
        list={list}
        placeholder={takesMany(operator) ? 'one, another' : 'value'}
        choose={take}
      />
      {!takesMany(operator) && operator !== 'contains' && (
        <button class="button quiet" type="button" onClick={() => take('')}>
          {field.none}
        </button>
      )}
    </fieldset>
  )
}

/** A field for a whole filter, such as plan=pro, or for the name of what is filtered by. */
export function FilterForm({ of, add }: Omit<ValueProps, 'field'>) {
  const list = useId()
  const [isUsed, setUsed] = useState(false)
  const [field, setField] = useState<Field>()
  const form = useRef<HTMLDivElement>(null)
  const done = (filter: Filter) => {
    add(filter)
    setField(undefined)
    // The field that had the focus is gone.
    form.current?.querySelector('input')?.focus()
  }
  const take = (text: string) => {
    const filter = parseFilter(text, of)
    if (filter) done(filter)
    else setField(text ? findField(text, of) : undefined)
  }
  return (
    <div ref={form} class="filter-form" onFocusCapture={() => setUsed(true)}>
      <FieldList id={list} of={of} isUsed={isUsed} />
      <ChoiceInput
        label="Filter by"
        value={field?.title ?? ''}
        list={list}
        placeholder={
          of === 'people'
            ? 'plan=pro or event=Signed Up'
            : isGuest
              ? 'Filter, such as country=DE'
              : 'Filter, such as plan=pro'
        }
        choose={take}
      />
      {field && <FilterValue of={of} field={field} add={done} />}
    </div>
  )
}
