import type { Setup } from '../../data/setup'
import { Card, CardColumns } from '../../parts/Card'
import { Table } from '../../parts/Table'
import { useScope } from '../../address/scope'
import { FirstEvent } from './FirstEvent'
import { History } from './History'
import { useProgress } from './useProgress'

function Access({ keys, users, users_file: file }: Setup) {
  if (!keys || !users) return <p class="soft">Users with the role “write” see keys and users here.</p>
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
            { title: 'Role', value: ({ role }) => (role === 'write' ? 'reads and writes' : 'reads') },
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
  return (
    <>
      <FirstEvent {...known} />
      {setup && (
        <>
          <Access {...setup} />
          {setup.keys && <History />}
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
          <p class="soft">Flags, variables and files of the service set all this. Here it is only shown.</p>
        </>
      )}
    </>
  )
}
