import { useState } from 'preact/hooks'
import { describeReceivers, describeTest, type Over, testAlert, type When } from '../data/alerts'
import { save, useSaved } from '../data/saved'
import { addTo, conditions, Figures, timesOf, ways } from './alertChoices'
import { FormDialog } from './FormDialog'
import { asIn, type Draft, FigureFields, readAlertFields } from './FigureFields'

interface Props {
  /** Its name, where it is there already. */
  was?: string
  name: string
  draft: Draft
  close: () => void
}

/** The form for an alert about a figure, or for a digest of some. */
export function AlertForm({ was, name, draft: given, close }: Props) {
  const [figures, setFigures] = useState(given.figures)
  const draft = { ...given, figures }
  const others = useSaved('alert').filter(({ value }) => value.to.length > 0)
  const [when, setWhen] = useState<When>(draft.when ?? 'below')
  const [over, setOver] = useState<Over>(draft.over ?? 'day')
  const [chosenWay, setWay] = useState<string>()
  const [told, setTold] = useState('')
  const [chosen, setInto] = useState('')
  // Which others there are may be known only after the form is open.
  const usualWay = was ?? others[0]?.name
  const way = chosenWay ?? (usualWay === undefined ? 'json' : asIn + usualWay)
  const isDigest = when === 'digest'
  const digests = others.filter(({ value }) => value.when === 'digest')
  const isNew = was === undefined && figures.length === 1
  const into = isNew && isDigest ? chosen : ''
  const figure = figures[0]!
  const shown = timesOf(when)
  const shownOver = shown.some(([each]) => each === over) ? over : shown[0]![0]

  const take = async (fields: Record<string, string>) => {
    if (into !== '') return addTo(into, readAlertFields(fields, draft).figures[0]!)
    const called = fields['name'] ?? ''
    if (called !== was && others.some((each) => each.name === called))
      throw new Error(`There is an alert ${called} already.`)
    await save('alert', { name: called, value: readAlertFields(fields, draft), was })
  }
  const test = async (form: HTMLFormElement) => {
    if (!form.reportValidity()) return
    setTold('Sending …')
    const fields = Object.fromEntries(
      [...new FormData(form)].map(([key, value]) => [key, String(value).trim()]),
    )
    try {
      const tested = await testAlert(fields['name'] ?? '', readAlertFields(fields, draft))
      setTold(
        `${describeTest(tested)}${way === 'json' ? ` It was signed with ${tested.signing_secret}` : ''}`,
      )
    } catch (error) {
      setTold((error as Error).message)
    }
  }
  return (
    <FormDialog
      title={was === undefined ? 'New alert' : 'Change the alert'}
      save={take}
      remove={was === undefined ? undefined : () => save('alert', { name: was, value: null })}
      close={close}
    >
      {into === '' && (
        <label>
          Name
          <input name="name" defaultValue={name} maxLength={120} required />
        </label>
      )}
      {isDigest && figures.length > 1 ? (
        <Figures figures={figures} change={setFigures} />
      ) : (
        <>
          <label>
            Question
            <input name="label" defaultValue={figure.label ?? ''} maxLength={300} required />
          </label>
          <FigureFields figure={figure} isDigest={isDigest} />
        </>
      )}
      <div class="form-pair">
        <label>
          Tell me when it
          <select
            name="when"
            value={when}
            onChange={({ currentTarget }) => setWhen(currentTarget.value as When)}
          >
            {conditions.map(([each, text]) => (
              <option key={each} value={each}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {when !== 'nothing' && !isDigest && (
          <label>
            {when === 'changed' ? 'Percent' : 'Number'}
            <input name="than" type="number" step="any" defaultValue={String(draft.than ?? '')} required />
          </label>
        )}
      </div>
      {isDigest && isNew && digests.length > 0 && (
        <label>
          Digest
          <select value={chosen} onChange={({ currentTarget }) => setInto(currentTarget.value)}>
            <option value="">A new one</option>
            {digests.map((each) => (
              <option key={each.name} value={each.name}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
      )}
      {into === '' && (
        <>
          <div class="form-pair">
            <label>
              Time
              <select
                name="over"
                value={shownOver}
                onChange={({ currentTarget }) => setOver(currentTarget.value as Over)}
              >
                {shown.map(([each, text]) => (
                  <option key={each} value={each}>
                    {text}
                  </option>
                ))}
              </select>
            </label>
            {shownOver === 'minutes' && (
              <label>
                How many minutes
                <input
                  name="minutes"
                  type="number"
                  min={5}
                  max={10_080}
                  defaultValue={String(draft.minutes ?? 60)}
                  required
                />
              </label>
            )}
          </div>
          <label>
            Send to
            <select name="way" value={way} onChange={({ currentTarget }) => setWay(currentTarget.value)}>
              {others.map((each) => (
                <option key={each.name} value={asIn + each.name}>
                  {describeReceivers(each.value.to)}, as {each.name === was ? 'until now' : each.name}
                </option>
              ))}
              {ways.map(([each, text]) => (
                <option key={each} value={each}>
                  {text}
                </option>
              ))}
            </select>
          </label>
          {!way.startsWith(asIn) && (
            <label>
              {way === 'mail' ? 'E-mail address' : 'Address of the webhook'}
              {way === 'mail' ? (
                <input name="address" type="email" required />
              ) : (
                <input name="address" type="url" required />
              )}
            </label>
          )}
          <p class="alert-test">
            <button
              class="button"
              type="button"
              onClick={({ currentTarget }) => void test(currentTarget.form!)}
            >
              Send a test now
            </button>{' '}
            <span class="soft break" role="status">
              {told}
            </span>
          </p>
        </>
      )}
    </FormDialog>
  )
}
