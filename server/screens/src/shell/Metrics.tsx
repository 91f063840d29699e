import { useState } from 'preact/hooks'
import type { Ask } from '../data/asks'
import { useStore } from '../data/createStore'
import { login } from '../data/login'
import { type Saved, save, useSaved } from '../data/saved'
import { shownAsks } from '../data/shownAsks'
import { toDay } from '../address/timeRange'
import { FormDialog } from '../parts/FormDialog'

type Metric = Saved<'metric'>

/** The answers that can be a metric: one figure of a page that asks a question, or a goal. */
const certifiable: readonly string[] = ['explore', 'funnel', 'retention', 'goal_totals']

/** What the page asks, at any time. */
export function toMetric(asks: readonly Ask[]): Ask | undefined {
  const found = asks.find(({ name }) => certifiable.includes(name))
  if (!found) return undefined
  const { from: _from, until: _until, before: _before, ...ask } = found
  return ask
}

interface FormProps {
  metric: Metric | undefined
  ask: Ask
  metrics: readonly Metric[]
  mayWrite: boolean
  close: () => void
}

function MetricForm({ metric, ask, metrics, mayWrite, close }: FormProps) {
  const take = async ({ name = '', text = '', owner = '', since = '' }: Record<string, string>) => {
    if (!mayWrite) return
    if (name !== metric?.name && metrics.some((each) => each.name === name))
      throw new Error(`There is a metric ${name} already.`)
    await save('metric', { name, value: { text, owner, since, answers: [ask] }, was: metric?.name })
  }
  const goal = typeof ask['goal'] === 'string' ? ask['goal'] : ''
  return (
    <FormDialog
      title={metric ? 'Metric' : 'Certify as a metric'}
      save={take}
      remove={metric && mayWrite ? () => save('metric', { name: metric.name, value: null }) : undefined}
      close={close}
    >
      <label>
        Name
        <input
          name="name"
          defaultValue={metric?.name ?? goal}
          maxLength={120}
          required
          readOnly={!mayWrite}
        />
      </label>
      <label>
        Definition
        <textarea
          name="text"
          rows={3}
          defaultValue={metric?.value.text ?? ''}
          maxLength={500}
          placeholder="People who placed an order, without those of staff."
          required
          readOnly={!mayWrite}
        />
      </label>
      <div class="form-pair">
        <label>
          Owner
          <input
            name="owner"
            defaultValue={metric?.value.owner ?? ''}
            maxLength={120}
            required
            readOnly={!mayWrite}
          />
        </label>
        <label>
          Since
          <input
            name="since"
            type="date"
            defaultValue={metric?.value.since ?? toDay(new Date())}
            required
            readOnly={!mayWrite}
          />
        </label>
      </div>
      <p class="soft">
        Agents get this figure when they are asked for its name, and <code>FROM metrics</code> lists it. It is
        what {metric ? 'was' : 'is'} asked {goal ? `of the goal ${goal}` : 'on the page'}, with its filters,
        at any time.
      </p>
    </FormDialog>
  )
}

/** The figures that are agreed on, and a way to certify what the page asks. */
export function Metrics() {
  const metrics = useSaved('metric')
  const mayWrite = useStore(login).user?.role === 'write'
  const [edited, setEdited] = useState<{ metric: Metric | undefined; ask: Ask }>()
  const [isMissing, setMissing] = useState(false)
  if (metrics.length === 0 && !mayWrite) return null
  const certify = () => {
    const ask = toMetric(shownAsks())
    setMissing(ask === undefined)
    if (ask) setEdited({ metric: undefined, ask })
  }
  return (
    <>
      {metrics.length > 0 && (
        <>
          <p class="soft">Metrics</p>
          <ul aria-label="Metrics">
            {metrics.map((metric) => (
              <li key={metric.name}>
                <button
                  class="button quiet"
                  type="button"
                  title={metric.value.text}
                  onClick={() => setEdited({ metric, ask: metric.value.answers[0] })}
                >
                  {metric.name}
                </button>{' '}
                <span class="soft">
                  {metric.value.owner}, since {metric.value.since}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {mayWrite && (
        <p class="buttons">
          <button class="button" type="button" onClick={certify}>
            Certify as a metric
          </button>
        </p>
      )}
      {isMissing && (
        <p class="soft" role="status">
          Open Explore, Funnel or Retention, or choose a goal on the Overview: that is what is certified.
        </p>
      )}
      {edited && (
        <MetricForm {...edited} metrics={metrics} mayWrite={mayWrite} close={() => setEdited(undefined)} />
      )}
    </>
  )
}
