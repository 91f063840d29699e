import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { askChoices } from '../data/asks'
import { type Counted, type Field, showValue } from '../data/fields'
import { type Filter, firstSeen, isDeed, type Operator, operatorsOf, toFilter } from '../data/filters'
import { useScope } from '../address/scope'
import { ChoiceInput, ChoiceList } from './ChoiceInput'

const takesMany = (operator: Operator) => ['in', 'out', 'between', 'did', 'did_not'].includes(operator)

const split = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

export interface ValueProps {
  of: Counted
  field: Field
  add: (filter: Filter) => void
}

const readCount = (input: HTMLInputElement | null) => {
  const count = input?.valueAsNumber ?? 0
  return Number.isInteger(count) && count > 0 ? count : undefined
}

/** What the field that was named must be. */
export function FilterValue({ of, field, add }: ValueProps) {
  const scope = useScope()
  const [list, behinds] = [useId(), useId()]
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
    const behind = form.current?.querySelector<HTMLInputElement>('input[name=after]')?.value.trim() ?? ''
    const after = days && behind !== '' ? { after: behind.toLowerCase() === firstSeen ? '' : behind } : {}
    if (values.length > 0)
      add({
        ...toFilter(field.name, operator, values),
        ...(times && { times }),
        ...(days && { days }),
        ...after,
      })
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
            within{' '}
            <input name="days" type="number" min={1} max={10_000} placeholder="all" aria-label="Days" /> days
          </label>
          <label class="soft">
            of{' '}
            <input name="after" list={behinds} placeholder="the end" aria-label="Days behind which event" />:
          </label>
          <ChoiceList id={behinds} ask={askChoices('event_choices', scope)} first={[firstSeen]} />
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
