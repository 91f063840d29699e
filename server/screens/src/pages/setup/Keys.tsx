import type { ComponentChildren } from 'preact'
import type { Access, KnownKey } from '../../data/access'
import { Card } from '../../parts/Card'
import { Moment } from '../../parts/Moment'
import { Table } from '../../parts/Table'
import { type Doing, Quiet, roles } from './askAccess'

/** Keys of pages and servers. */
export function Keys({ keys, ask }: Pick<Access, 'keys'> & Pick<Doing, 'ask'>) {
  const actions = (key: KnownKey): ComponentChildren => {
    const { id, name, ends_at: end } = key
    return (
      id !== null && (
        <span class="buttons">
          <Quiet label="Environments" of={name ?? ''} onClick={() => ask({ ofKey: key })} />
          {end === null && (
            <Quiet
              label="Replace"
              of={name ?? ''}
              onClick={() =>
                ask({
                  title: `Replace the key ${name}?`,
                  action: 'Replace',
                  text: 'A new key is made for the same environments. The old one works for another day.',
                  change: { change: 'rotate-key', id },
                })
              }
            />
          )}
          <Quiet
            label="Withdraw"
            of={name ?? ''}
            onClick={() =>
              ask({
                title: `Withdraw the key ${name}?`,
                action: 'Withdraw',
                text: 'From now on events that are sent with it are refused. Pages keep theirs and send them once they have another key.',
                change: { change: 'withdraw-key', id },
              })
            }
          />
        </span>
      )
    )
  }
  return (
    <Card
      title="API keys"
      aside={
        <button class="button" type="button" onClick={() => ask('key')}>
          New key
        </button>
      }
    >
      <Table
        caption="API keys"
        rows={keys}
        rowKey={({ id, key, environments }) => id ?? key ?? environments.join(' ')}
        isStacked
        columns={[
          {
            title: 'Key',
            value: ({ name, key }) => (
              <>
                {name !== null && <div class="break">{name}</div>}
                {key === null ? <span class="soft">shown once</span> : <code class="break">{key}</code>}
              </>
            ),
          },
          { title: 'Of', value: ({ kind }) => (kind === 'public' ? 'pages' : 'servers') },
          {
            title: 'Writes to',
            value: ({ all, environments }) => (
              <span class="break">{all ? 'all environments' : environments.join(', ') || 'nothing'}</span>
            ),
          },
          {
            title: 'From',
            value: ({ from, made_by: by, ends_at: end }) =>
              end === null ? (
                (from ?? by)
              ) : (
                <span>
                  replaced, works until <Moment time={end} />
                </span>
              ),
          },
          { title: 'Change', value: actions },
        ]}
      />
    </Card>
  )
}

const texts: Record<string, string> = {
  invite: 'invited',
  'reset-password': 'made a link to a new password for',
  'withdraw-invitation': 'withdrew the invitation of',
  'set-role': 'changed the role of',
  'remove-user': 'removed',
  'make-key': 'made the key',
  'rotate-key': 'replaced the key',
  'withdraw-key': 'withdrew the key',
  'set-environments': 'changed the environments of the key',
  'add-environment': 'added the environment',
  'withdraw-environment': 'withdrew the environment',
  accept: 'set the password of',
  enter: 'logged in for the first time, or with another role:',
  'set-password': 'changed the password of',
}

export const Changes = ({ changes }: Pick<Access, 'changes'>) => (
  <Card title="Who changed what">
    {changes.length === 0 ? (
      <p class="soft">Nothing was changed here yet.</p>
    ) : (
      <Table
        caption="Who changed what"
        rows={changes.slice(0, 50)}
        rowKey={({ at, change, of }) => `${at} ${change} ${of}`}
        columns={[
          { title: 'When', value: ({ at }) => <Moment time={at} show="recent" /> },
          { title: 'Who', value: ({ by }) => <span class="break">{by}</span> },
          {
            title: 'What',
            value: ({ change, of, as }) => (
              <span class="break">
                {texts[change] ?? change} {of}
                {as !== null && ` (${roles[as as keyof typeof roles] ?? as})`}
              </span>
            ),
          },
        ]}
      />
    )}
  </Card>
)
