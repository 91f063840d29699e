import type { Access, KnownEnvironment } from '../../data/access'
import type { Setup } from '../../data/setup'
import { Card } from '../../parts/Card'
import { Moment } from '../../parts/Moment'
import { Table, type TableColumn } from '../../parts/Table'
import { type Doing, Quiet } from './askAccess'

const keeps = (days: number | null | undefined) => (typeof days === 'number' ? `${days} days` : 'for ever')

/** The environments that take events, for who may not change them. */
export const ShownEnvironments = ({ environments }: Pick<Setup, 'environments'>) => (
  <Card title="Environments">
    <Table
      caption="Environments"
      rows={environments}
      rowKey={({ name }) => name}
      columns={[
        { title: 'Name', value: ({ name }) => <span class="break">{name}</span> },
        { title: 'Keeps events', value: ({ retention_days: days }) => keeps(days) },
      ]}
    />
  </Card>
)

/** Environments, to be added and withdrawn. */
export function Environments({
  environments,
  keys,
  setup,
  ask,
  make,
}: Pick<Access, 'environments' | 'keys'> & Doing & { setup: Setup }) {
  const days = new Map(setup.environments.map(({ name, retention_days: kept }) => [name, kept]))
  const keysOf = (environment: string) =>
    keys
      .filter((each) => each.environments.includes(environment))
      .map(({ name, key, from }) => name ?? key ?? `of ${from}`)
      .join(', ')
  const columns: TableColumn<KnownEnvironment>[] = [
    { title: 'Name', value: ({ name }) => <span class="break">{name}</span> },
    {
      title: 'Keys',
      value: ({ name, withdrawn_at: since }) =>
        since === null ? (
          <span class="break">{keysOf(name) || 'none'}</span>
        ) : (
          <span>
            takes no events since <Moment time={since} />
          </span>
        ),
    },
    { title: 'Keeps events', value: ({ name }) => keeps(days.get(name)) },
    { title: 'From', value: ({ from, made_by: by }) => from ?? by },
    {
      title: 'Change',
      value: ({ name, from, withdrawn_at: since }) =>
        from === null &&
        (since === null ? (
          <Quiet
            label="Withdraw"
            of={`the environment ${name}`}
            onClick={() =>
              ask({
                title: `Withdraw the environment ${name}?`,
                action: 'Withdraw',
                text: 'From now on its events are refused. Those that are stored stay, and can be looked at.',
                change: { change: 'withdraw-environment', name },
              })
            }
          />
        ) : (
          <Quiet
            label="Use again"
            of={`the environment ${name}`}
            onClick={() => void make({ change: 'add-environment', name })}
          />
        )),
    },
  ]
  return (
    <Card
      title="Environments"
      aside={
        <button class="button" type="button" onClick={() => ask('environment')}>
          New environment
        </button>
      }
    >
      <Table
        caption="Environments"
        rows={environments}
        rowKey={({ name }) => name}
        isStacked
        columns={columns}
      />
    </Card>
  )
}
