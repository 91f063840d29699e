import { useId } from 'preact/hooks'
import { askChoices } from '../../data/asks'
import { fields, propertyField } from '../../data/fields'
import { isGuest } from '../../data/guest'
import { useAnswer } from '../../data/useAnswer'
import { guestFields } from '../../address/guestAddress'
import { ChoiceInput, ChoiceList } from '../../parts/ChoiceInput'
import { Tabs } from '../../parts/Tabs'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { canTellApart, intervalsOf, type Question } from './exploreSearch'
import { measures } from './measures'

/** Names that were seen, with the one that is chosen. */
const withChosen = (names: readonly string[], chosen: string | undefined) =>
  chosen === undefined || names.includes(chosen) ? names : [chosen, ...names]

/** What is counted, of which event, and by what. */
export function QuestionFields({ question }: { question: Question }) {
  const scope = useScope()
  const [, setSearch] = useSearch()
  const list = useId()
  const { measure, property, event, by, interval } = question
  const ofEvent = { event: event || undefined }
  const seen = useAnswer(isGuest ? undefined : askChoices('property_choices', scope, ofEvent))
  const numbers = useAnswer(
    measure.needsProperty && !isGuest
      ? askChoices('property_choices', scope, { ...ofEvent, numbers: true })
      : undefined,
  )
  const names = (asked: typeof seen) => asked.answer?.rows.map(([name]) => String(name)) ?? []
  const tabs = intervalsOf(scope.range).map(([name, title]) => ({ name, title }))
  const columns = (isGuest ? guestFields : fields).filter((field) => canTellApart(measure, field))
  const properties = names(seen).map((name) => propertyField(name))
  const shown = measures.filter(
    ({ name, needsProperty }) => !isGuest || !needsProperty || name === measure.name,
  )
  const isListed = [...columns, ...properties].some(({ name }) => name === by?.name)
  return (
    <div class="fields">
      <ChoiceList id={list} ask={askChoices('event_choices', scope)} />
      <label class="field">
        <span class="field-name">Show</span>
        <select
          value={measure.name}
          onChange={({ currentTarget: { value } }) =>
            setSearch({ show: value === measures[0]?.name ? undefined : value })
          }
        >
          {shown.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {measure.needsProperty && (
        <label class="field">
          <span class="field-name">of the property</span>
          <select
            value={property ?? ''}
            onChange={({ currentTarget: { value } }) => setSearch({ property: value || undefined })}
          >
            <option value="">choose one</option>
            {withChosen(names(numbers), property).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {measure.of === 'events' && (
        <label class="field">
          <span class="field-name">of event</span>
          <ChoiceInput
            label="of event"
            value={event}
            list={list}
            placeholder="any event"
            choose={(value) => setSearch({ event: value || undefined })}
          />
        </label>
      )}
      <label class="field">
        <span class="field-name">by</span>
        <select
          value={by?.name ?? ''}
          onChange={({ currentTarget: { value } }) => setSearch({ by: value || undefined })}
        >
          <option value="">nothing</option>
          {by && !isListed && <option value={by.name}>{by.title}</option>}
          <optgroup label="Columns">
            {columns.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </optgroup>
          <optgroup label="Properties">
            {properties.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      <Tabs
        name="Time"
        tabs={tabs}
        chosen={interval ?? 'total'}
        choose={(name) => setSearch({ over: name }, { replace: true })}
      />
    </div>
  )
}
