import { useId } from 'preact/hooks'
import { askChoices } from '../../data/asks'
import { fields, propertyField } from '../../data/fields'
import { isGuest } from '../../data/guest'
import { useAnswer } from '../../data/useAnswer'
import { guestFields } from '../../address/guestAddress'
import { ChoiceInput, ChoiceList, Choices } from '../../parts/ChoiceInput'
import { Tabs } from '../../parts/Tabs'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { canTellApart, intervalsOf, type Question, writeCurrency } from './exploreSearch'
import { bases, measureGroups, measures } from './measures'

/** Names that were seen, with the one that is chosen. */
const withChosen = (names: readonly string[], chosen: string | undefined) =>
  chosen === undefined || names.includes(chosen) ? names : [chosen, ...names]

const usualCurrencies = ['EUR', 'USD', 'GBP', 'CHF', 'JPY']
/** Properties that may name a currency. */
const namesOfCurrency = (names: readonly string[]) => names.filter((name) => /currency/i.test(name))

/** What is counted, of which event, and by what. */
export function QuestionFields({ question }: { question: Question }) {
  const scope = useScope()
  const [, setSearch] = useSearch()
  const [list, currencies] = [useId(), useId()]
  const { measure, property, currency, currencyProperty, event, per, by, interval } = question
  const ofEvent = { event: event || undefined }
  const seen = useAnswer(isGuest ? undefined : askChoices('property_choices', scope, ofEvent))
  const numbers = useAnswer(
    measure.needsProperty && !isGuest
      ? askChoices('property_choices', scope, { ...ofEvent, numbers: true })
      : undefined,
  )
  const names = (asked: typeof seen) => asked.answer?.rows.map(([name]) => String(name)) ?? []
  const tabs = intervalsOf(scope.range, measure).map(([name, title]) => ({ name, title }))
  const columns = (isGuest ? guestFields : fields).filter((field) => canTellApart(measure, field))
  const properties = names(seen).map((name) => propertyField(name))
  const groups = measureGroups(
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
          {groups.map(({ title: group, of }) => (
            <optgroup key={group} label={group}>
              {of.map(({ name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </optgroup>
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
      {measure.needsProperty && !isGuest && (
        <>
          <label class="field">
            <span class="field-name">in</span>
            <ChoiceInput
              label="Currency, or the property that names it"
              value={currencyProperty ?? currency ?? ''}
              list={currencies}
              placeholder="no currency"
              choose={(text) =>
                setSearch({
                  in: /^[a-z]{3}$/i.test(text)
                    ? text.toUpperCase()
                    : writeCurrency({ currency: undefined, currencyProperty: text || undefined }),
                })
              }
            />
          </label>
          <Choices
            id={currencies}
            choices={[...namesOfCurrency(names(seen)), ...usualCurrencies].map(
              (name) => [name, undefined] as const,
            )}
          />
          {currencyProperty !== undefined && (
            <label class="field">
              <span class="field-name">only</span>
              <input
                class="currency"
                type="text"
                aria-label="Only this currency"
                value={currency ?? ''}
                placeholder="each apart"
                maxLength={3}
                onChange={({ currentTarget: { value } }) =>
                  setSearch({
                    in: writeCurrency({ currency: value.toUpperCase() || undefined, currencyProperty }),
                  })
                }
              />
            </label>
          )}
        </>
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
      {measure.of === 'events' &&
        !measure.isOfDays &&
        (currencyProperty === undefined || currency !== undefined) && (
          <label class="field">
            <span class="field-name">for each</span>
            <select
              value={per?.[0] ?? ''}
              onChange={({ currentTarget: { value } }) =>
                setSearch({ per: value || undefined, per_event: undefined })
              }
            >
              <option value="">–</option>
              {bases.map(([name, title]) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        )}
      {per && (
        <label class="field">
          <span class="field-name">of event</span>
          <ChoiceInput
            label={`for each ${per[1]} of event`}
            value={question.perEvent}
            list={list}
            placeholder="any event"
            choose={(value) => setSearch({ per_event: value || undefined })}
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
