import type { Setup } from '../../data/setup'
import { Card, CardColumns } from '../../parts/Card'
import { Table } from '../../parts/Table'
import { useScope } from '../../address/scope'
import { useStore } from '../../data/createStore'
import { login } from '../../data/login'
import { Access } from './Access'
import { OwnPassword } from './AccessDialog'
import { roles } from './askAccess'
import { FirstEvent } from './FirstEvent'
import { useProgress } from './useProgress'

function Shown({ keys, users, users_file: file }: Setup) {
  if (!keys || !users) return <p class="soft">Users who may write see keys and users here.</p>
  return (
    <CardColumns>
      <Card title="API keys">
        <Table
          caption="API keys"
          rows={keys}
          rowKey={({ key }) => key}
          columns={[
            { title: 'Key', value: ({ key }) => <code class="break">{key}</code> },
            { title: 'Writes to', value: ({ environments }) => environments.join(', ') },
          ]}
        />
      </Card>
      <Card title="Users">
        <Table
          caption="Users"
          rows={users}
          rowKey={({ user }) => user}
          columns={[
            { title: 'Name', value: ({ user }) => user },
            { title: 'Role', value: ({ role }) => roles[role] },
          ]}
        />
        {file && <p class="soft break">Users and password hashes are in {file}.</p>}
      </Card>
    </CardColumns>
  )
}

/** How to put waymark on a page, and how the service is set up. */
export function SetUp() {
  const { environment } = useScope()
  const known = useProgress(environment)
  const { setup } = known
  const role = useStore(login).user?.role
  return (
    <>
      <FirstEvent {...known} />
      {setup && (
        <>
          {role === 'admin' ? (
            <Access environments={setup.environments.map(({ name }) => name)} />
          ) : (
            <Shown {...setup} />
          )}
          <OwnPassword />
          <Card title="Environments">
            <Table
              caption="Environments"
              rows={setup.environments}
              rowKey={({ name }) => name}
              columns={[
                { title: 'Name', value: ({ name }) => name },
                {
                  title: 'Keeps events',
                  value: ({ retention_days: days }) => (days === null ? 'for ever' : `${days} days`),
                },
              ]}
            />
          </Card>
          <p class="soft">
            Flags, variables and files of the service set the environments, and what is said to be from them.
          </p>
        </>
      )}
    </>
  )
}
