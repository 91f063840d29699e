import { type Alert, describeAlert, describeReceivers, nameFigures, readDefinition } from '../../data/alerts'
import type { Json } from '../../data/query'
import { CellButton } from '../../parts/cells'
import { formatMean } from '../../parts/format'
import { Moment } from '../../parts/Moment'
import { Table } from '../../parts/Table'

type Row = readonly Json[]
const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

const kinds: Record<string, string> = {
  fired: 'Fired',
  recovered: 'Recovered',
  failed: 'Could not be judged',
  digest: 'Digest',
}
const classes: Record<string, string> = { ok: 'is-good', firing: 'is-poor' }

const Status = ({ status }: { status: string }) => (
  <span class={`alert-status ${classes[status] ?? ''}`}>
    {status.charAt(0).toUpperCase() + status.slice(1)}
  </span>
)

function Outcome({ row: [, , , , , attempts, sent, next, error] }: { row: Row }) {
  if (sent !== null) return <>Sent {attempts === 1 ? '' : `at try ${Number(attempts)}`}</>
  if (attempts === 0) return <>{next === null ? 'Not sent: it was paused' : 'Is being sent'}</>
  return (
    <span>
      <span class="alert-status is-poor">{text(error)}</span>{' '}
      <span class="soft">
        {Number(attempts)} {attempts === 1 ? 'try' : 'tries'},{' '}
        {next === null ? (
          'given up'
        ) : (
          <>
            again <Moment time={text(next)} show="recent" />
          </>
        )}
      </span>
    </span>
  )
}

interface AlertTableProps {
  rows: readonly Row[]
  /** Undefined for who may only read. */
  change: ((name: string, alert: Alert) => void) | undefined
  pause: (name: string, alert: Alert, isPaused: boolean) => void
}

/** The alerts, and what each has found last. */
export function AlertTable({ rows, change, pause }: AlertTableProps) {
  return (
    <Table<Row>
      caption="Alerts"
      rows={rows}
      rowKey={([name]) => text(name)}
      isStacked
      columns={[
        {
          title: 'Name',
          value: ([name, definition]) => {
            const draft = readDefinition(definition)
            if (!change) return text(name)
            return (
              <CellButton title="Change the alert" choose={() => change(text(name), draft)}>
                {text(name)}
              </CellButton>
            )
          },
        },
        {
          title: 'Tells when',
          value: ([, definition]) => {
            const alert = readDefinition(definition)
            return `${nameFigures(alert)} ${describeAlert(alert)}`
          },
        },
        {
          title: 'Status',
          value: ([, , status, since]) => (
            <span>
              <Status status={text(status)} />{' '}
              {since !== null && (
                <span class="soft">
                  since <Moment time={text(since)} show="recent" />
                </span>
              )}
            </span>
          ),
        },
        {
          title: 'Found',
          value: ([, , , , value, expected, , error]) =>
            error === null ? (
              <span>
                {value === null ? '–' : formatMean(Number(value))}{' '}
                {expected ? <span class="soft">expected {text(expected)}</span> : null}
              </span>
            ) : (
              <span class="alert-status is-poor">{text(error)}</span>
            ),
        },
        {
          title: 'Told',
          value: ([, definition]) => describeReceivers(readDefinition(definition).to),
        },
        ...(change
          ? [
              {
                title: 'Pause',
                value: ([name, definition, status]: Row) => (
                  <button
                    class="button quiet"
                    type="button"
                    aria-label={`${status === 'paused' ? 'Resume' : 'Pause'} ${text(name)}`}
                    onClick={() => pause(text(name), readDefinition(definition), status === 'paused')}
                  >
                    {status === 'paused' ? 'Resume' : 'Pause'}
                  </button>
                ),
              },
            ]
          : []),
      ]}
    />
  )
}

/** The newest messages, and what became of them. */
export function MessageTable({ rows }: { rows: readonly Row[] }) {
  return (
    <Table<Row>
      caption="Messages"
      rows={rows}
      rowKey={([at, name, kind, , receiver]) => JSON.stringify([at, name, kind, receiver])}
      isStacked
      columns={[
        { title: 'When', value: ([at]) => <Moment time={text(at)} show="recent" /> },
        { title: 'Alert', value: ([, name]) => text(name) },
        { title: 'What', value: ([, , kind]) => kinds[text(kind)] ?? text(kind) },
        { title: 'It says', value: (row) => <span class="alert-text">{text(row[3])}</span> },
        { title: 'To', value: (row) => text(row[4]) },
        { title: 'Outcome', value: (row) => <Outcome row={row} /> },
      ]}
    />
  )
}
