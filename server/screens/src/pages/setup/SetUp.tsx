import type { Setup } from '../../data/setup'
import { Card, CardColumns } from '../../parts/Card'
import { Table } from '../../parts/Table'
import { useScope } from '../../address/scope'
import { useStore } from '../../data/createStore'
import { login } from '../../data/login'
import { Access } from './Access'
import { OwnPassword } from './AccessDialog'
import { roles } from './askAccess'
import { ShownEnvironments } from './Environments'
import { FirstEvent } from './FirstEvent'
import { History } from './History'
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
            <Access setup={setup} />
          ) : (
            <>
              <Shown {...setup} />
              <ShownEnvironments {...setup} />
            </>
          )}
          <OwnPassword />
          {setup.keys && <History />}
          <p class="soft">What is from a flag is changed there, and so is how long events are kept.</p>
        </>
      )}
    </>
  )
}
