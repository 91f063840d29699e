import type { ComponentChildren } from 'preact'
import type { Access, Invitation, KnownUser } from '../../data/access'
import { Card } from '../../parts/Card'
import { Moment } from '../../parts/Moment'
import { Table } from '../../parts/Table'
import { type Doing, Quiet, RoleOptions, roles } from './askAccess'

/** Users, and who is invited. */
export function Users({ users, invitations, ask, make }: Pick<Access, 'users' | 'invitations'> & Doing) {
  const actions = ({ user, from }: KnownUser): ComponentChildren =>
    (from === null || from === '--oidc-issuer') && (
      <span class="buttons">
        {from === null && (
          <Quiet
            label="New password"
            of={user}
            onClick={() =>
              ask({
                title: `A new password for ${user}`,
                action: 'Make a link',
                text: 'Whoever has the link sets the password. Until then the old one works.',
                change: { change: 'reset-password', user },
              })
            }
          />
        )}
        <Quiet
          label="Remove"
          of={user}
          onClick={() =>
            ask({
              title: `Remove ${user}?`,
              action: 'Remove',
              text: 'Logins and Postgres connections end at once. What the user has saved stays.',
              change: { change: 'remove-user', user },
            })
          }
        />
      </span>
    )
  const choose = ({ user, role, from }: KnownUser) =>
    from === null ? (
      <select
        aria-label={`Role of ${user}`}
        value={role}
        onChange={({ currentTarget }) =>
          void make({ change: 'set-role', user, role: currentTarget.value }).finally(() => {
            currentTarget.value = role
          })
        }
      >
        <RoleOptions />
      </select>
    ) : (
      roles[role]
    )
  return (
    <Card
      title="Users"
      aside={
        <button class="button" type="button" onClick={() => ask('invite')}>
          Invite
        </button>
      }
    >
      <Table
        caption="Users"
        rows={users}
        rowKey={({ user }) => user}
        isStacked
        columns={[
          { title: 'Name', value: ({ user }) => <span class="break">{user}</span> },
          { title: 'Role', value: choose },
          { title: 'From', value: ({ from }) => from ?? 'made here' },
          { title: 'Change', value: actions },
        ]}
      />
      {invitations.length > 0 && (
        <Table
          caption="Open invitations"
          rows={invitations}
          rowKey={({ user }: Invitation) => user}
          isStacked
          columns={[
            { title: 'Invited', value: ({ user }) => <span class="break">{user}</span> },
            { title: 'Role', value: ({ role }) => roles[role] },
            { title: 'Until', value: ({ ends_at: end }) => <Moment time={end} /> },
            {
              title: 'Change',
              value: ({ user }) => (
                <Quiet
                  label="Withdraw"
                  of={`the invitation of ${user}`}
                  onClick={() => void make({ change: 'withdraw-invitation', user })}
                />
              ),
            },
          ]}
        />
      )}
    </Card>
  )
}
