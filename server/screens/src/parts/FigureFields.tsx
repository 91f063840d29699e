import { type Alert, type Figure, type Format, type Over, type When } from '../data/alerts'
import { browserTimeZone } from '../data/query'
import { useAnswer } from '../data/useAnswer'
import { useScope } from '../address/scope'
import { ProblemNote } from './notes'

/** What is known of an alert before it is saved. */
export type Draft = Pick<Alert, 'figures'> & Partial<Alert>

/** Before the name of an alert whose receivers are taken: a webhook's address is told to nobody. */
export const asIn = 'as:'

/** Makes an alert of what was written. */
export function readAlertFields(fields: Record<string, string>, draft: Draft): Alert {
  const {
    label,
    column,
    row,
    rowColumn,
    when = 'below',
    than,
    over = 'day',
    minutes,
    way = '',
    address = '',
  } = fields
  const [figure] = draft.figures
  // Those of a digest that has several are not in the form.
  const isMany = when === 'digest' && draft.figures.length > 1
  const chosen: Figure = {
    ask: figure!.ask,
    ...(label ? { label } : {}),
    ...(column ? { column } : {}),
    ...(column && rowColumn && row !== undefined ? { row: { column: rowColumn, is: row } } : {}),
  }
  return {
    figures: isMany ? draft.figures : [chosen],
    when: when as When,
    ...(than === undefined ? {} : { than: Number(than) }),
    over: over as Over,
    ...(minutes === undefined ? {} : { minutes: Number(minutes) }),
    timezone: draft.timezone ?? browserTimeZone,
    to: way.startsWith(asIn)
      ? way.slice(asIn.length)
      : [way === 'mail' ? { mail: address } : { webhook: address, format: way as Format }],
    ...(draft.page === undefined ? {} : { page: draft.page }),
    ...(draft.search ? { search: draft.search } : {}),
    ...(draft.paused === true ? { paused: true } : {}),
  }
}

const toTitle = (column: string) => column.charAt(0).toUpperCase() + column.slice(1).replaceAll('_', ' ')
const isNumber = (type: string) => /INT|DOUBLE|FLOAT|DECIMAL/.test(type)
const weekMs = 7 * 86_400_000

/** The number of the answer that is watched: its column and, where there are several rows, one of them. */
export function FigureFields({ figure, isDigest }: { figure: Figure; isDigest: boolean }) {
  const { now } = useScope()
  const [from, until] = [now.getTime() - weekMs, now.getTime()].map((ms) => new Date(ms).toISOString())
  const { answer, problem } = useAnswer({ ...figure.ask, from, until }, { limit: 200 })
  if (problem) return <ProblemNote problem={problem} />
  const [first] = answer?.columns ?? []
  // The one row of totals is called `now`; of what is told apart the one row is a value.
  const isOne = first === undefined || isNumber(first.type) || first.name === 'period'
  const hasRows = answer !== undefined && (answer.rows.length > 1 || figure.row !== undefined || !isOne)
  const columns = answer?.columns.filter(({ type }) => isNumber(type)).map(({ name }) => name) ?? []
  const known = columns.filter((name) => !hasRows || name !== first?.name)
  const values = [...new Set([figure.row?.is, ...(answer?.rows.map(([value]) => String(value ?? '')) ?? [])])]
  return (
    <div class={hasRows ? 'form-pair' : ''}>
      <label>
        Figure
        <select name="column" required={!isDigest} defaultValue={figure.column ?? ''} key={known.join()}>
          {known.length === 0 && figure.column !== undefined && (
            <option value={figure.column}>{toTitle(figure.column)}</option>
          )}
          {known.map((name) => (
            <option key={name} value={name} selected={name === figure.column}>
              {toTitle(name)}
            </option>
          ))}
          {isDigest && <option value="">The first rows</option>}
        </select>
      </label>
      {hasRows && (
        <label>
          of {toTitle(first?.name ?? '')}
          <input type="hidden" name="rowColumn" value={figure.row?.column ?? first?.name ?? ''} />
          <select name="row" key={values.length}>
            {values.flatMap((value) =>
              value === undefined ? [] : [<option selected={value === figure.row?.is}>{value}</option>],
            )}
          </select>
        </label>
      )}
    </div>
  )
}
