import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { propertyChoices, valueChoices } from '../data/choices'
import { type Field, fieldSql, fields, findField } from '../data/fields'
import { type Filter, type Operator, operators, parseFilter } from '../data/filters'
import { useAnswer } from '../data/useAnswer'
import { useScope } from '../shell/scope'
import { ChoiceInput } from './ChoiceInput'
import { ChoiceList } from './ChoiceList'

const takesMany = (operator: Operator) => operator === 'in' || operator === 'out'

const split = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** The columns, and the properties that were seen. They are asked for when somebody is about to choose. */
function FieldList({ id, isUsed }: { id: string; isUsed: boolean }) {
  const scope = useScope()
  const statement = useMemo(() => (isUsed ? propertyChoices(scope) : undefined), [scope, isUsed])
  const { answer } = useAnswer(statement)
  return (
    <datalist id={id}>
      {fields.map(({ name, title }) => (
        <option key={name} value={title} />
      ))}
      {answer?.rows.map(([name]) => (
        <option key={`property ${String(name)}`} value={String(name)} />
      ))}
    </datalist>
  )
}

/** What the field that was named must be. */
function FilterValue({ field, add }: { field: Field; add: (filter: Filter) => void }) {
  const scope = useScope()
  const list = useId()
  const [operator, setOperator] = useState<Operator>('is')
  const form = useRef<HTMLFieldSetElement>(null)
  const statement = useMemo(() => valueChoices(scope, field), [scope, fieldSql(field).text])
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
        {operators.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      <ChoiceList id={list} statement={statement} />
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
export function FilterForm({ add }: { add: (filter: Filter) => void }) {
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
    const filter = parseFilter(text)
    if (filter) done(filter)
    else setField(text ? findField(text) : undefined)
  }
  return (
    <div ref={form} class="filter-form" onFocusCapture={() => setUsed(true)}>
      <FieldList id={list} isUsed={isUsed} />
      <ChoiceInput
        label="Filter by"
        value={field?.title ?? ''}
        list={list}
        placeholder="Filter, such as plan=pro"
        choose={take}
      />
      {field && <FilterValue field={field} add={done} />}
    </div>
  )
}
