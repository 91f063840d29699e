import { useId } from 'preact/hooks'
import { askChoices } from '../../data/asks'
import { type Saved, save, type SavedValues } from '../../data/saved'
import { ChoiceList } from '../../parts/ChoiceInput'
import { FormDialog } from '../../parts/FormDialog'
import { useScope } from '../../address/scope'

type Goal = Saved<'goal'>

/** `Order Placed with plan = pro`. */
export function describeGoal({ event, property, value }: SavedValues['goal']): string {
  const what = event === undefined ? 'Any event' : event.startsWith('/') ? `Page ${event}` : event
  return property === undefined ? what : `${what} with ${property} = ${value}`
}

/** Makes a goal of what was written. Throws with a sentence that says what is missing. */
export function readGoal({
  event = '',
  property = '',
  value = '',
}: Record<string, string>): SavedValues['goal'] {
  if (!event && !property) throw new Error('Name an event or a page, or a property and its value.')
  if (Boolean(property) !== Boolean(value))
    throw new Error('A property needs a value, and a value a property.')
  return { ...(event ? { event } : {}), ...(property ? { property, value } : {}) }
}

interface Props {
  /** Undefined makes a new one. */
  goal: Goal | undefined
  goals: readonly Goal[]
  /** Counts the goal that is saved, or none. */
  choose: (name: string | undefined) => void
  close: () => void
}

export function GoalForm({ goal, goals, choose, close }: Props) {
  const scope = useScope()
  const [events, properties] = [useId(), useId()]

  const take = async ({ name = '', ...rest }: Record<string, string>) => {
    const value = readGoal(rest)
    if (name !== goal?.name && goals.some((each) => each.name === name))
      throw new Error(`There is a goal ${name} already.`)
    await save('goal', { name, value, was: goal?.name })
    choose(name)
  }
  const remove = async (name: string) => {
    await save('goal', { name, value: null })
    choose(undefined)
  }
  return (
    <FormDialog
      title={goal ? 'Change the goal' : 'New goal'}
      save={take}
      remove={goal && (() => remove(goal.name))}
      close={close}
    >
      <label>
        Name
        <input name="name" defaultValue={goal?.name ?? ''} maxLength={120} required />
      </label>
      <label>
        Event, or page
        <input name="event" list={events} defaultValue={goal?.value.event ?? ''} placeholder="/docs/*" />
      </label>
      <p class="soft">A page begins with /, and * stands for any text.</p>
      <div class="form-pair">
        <label>
          Property
          <input
            name="property"
            list={properties}
            defaultValue={goal?.value.property ?? ''}
            placeholder="plan"
          />
        </label>
        <label>
          Its value
          <input name="value" defaultValue={goal?.value.value ?? ''} placeholder="pro" />
        </label>
      </div>
      <ChoiceList id={events} ask={askChoices('event_choices', scope)} />
      <ChoiceList id={properties} ask={askChoices('property_choices', scope)} />
    </FormDialog>
  )
}
