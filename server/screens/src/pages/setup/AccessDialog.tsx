import { useRef, useState } from 'preact/hooks'
import { changePassword, type KnownKey } from '../../data/access'
import { FormDialog, ShownOnce } from '../../parts/FormDialog'
import { Moment } from '../../parts/Moment'
import { type Asked, type Change, RoleOptions } from './askAccess'

const [everywhere, prefix] = ['all', 'in ']

/** The environments that were chosen; null for all. Throws when there is none. */
const readChosen = (fields: Record<string, string>): string[] | null => {
  if (everywhere in fields) return null
  const chosen = Object.keys(fields).flatMap((each) =>
    each.startsWith(prefix) ? [each.slice(prefix.length)] : [],
  )
  if (chosen.length === 0) throw new Error('Choose an environment.')
  return chosen
}

/** Which environments a key writes to. */
function EnvironmentChoice({ environments, of }: { environments: readonly string[]; of?: KnownKey }) {
  const [isAll, setAll] = useState(of?.all ?? true)
  return (
    <fieldset class="choices">
      <legend>Writes to</legend>
      <label>
        <input
          name={everywhere}
          type="checkbox"
          checked={isAll}
          onChange={({ currentTarget }) => setAll(currentTarget.checked)}
        />
        all environments, and those that are added
      </label>
      {!isAll &&
        environments.map((each) => (
          <label key={each}>
            <input
              name={prefix + each}
              type="checkbox"
              defaultChecked={of?.environments.includes(each) ?? false}
            />
            <span class="break">{each}</span>
          </label>
        ))}
    </fieldset>
  )
}

/** The dialog for what is asked. */
export function AccessDialog({
  asked,
  environments,
  close,
  make,
}: {
  asked: Asked
  environments: readonly string[]
  close: () => void
  make: (change: Change) => Promise<void>
}) {
  if (asked === 'invite')
    return (
      <FormDialog
        title="Invite a user"
        action="Make a link"
        close={close}
        save={({ user = '', role = '' }) => make({ change: 'invite', user, role })}
      >
        <label>
          Name
          <input name="user" maxLength={100} autocapitalize="none" spellcheck={false} required />
        </label>
        <label>
          Role
          <select name="role">
            <RoleOptions />
          </select>
        </label>
        <p class="soft">Send the link: whoever opens it within seven days sets the password.</p>
      </FormDialog>
    )
  if (asked === 'key')
    return (
      <FormDialog
        title="New API key"
        action="Make the key"
        close={close}
        save={({ name = '', kind = '', ...chosen }) =>
          make({ change: 'make-key', name, kind, environments: readChosen(chosen) })
        }
      >
        <label>
          Name
          <input name="name" maxLength={100} required />
        </label>
        <label>
          For
          <select name="kind">
            <option value="public">pages, where everybody can read it</option>
            <option value="server">servers, which keep it secret</option>
          </select>
        </label>
        <EnvironmentChoice environments={environments} />
      </FormDialog>
    )
  if (asked === 'environment')
    return (
      <FormDialog
        title="New environment"
        action="Add it"
        close={close}
        save={({ name = '' }) => make({ change: 'add-environment', name })}
      >
        <label>
          Name
          <input name="name" maxLength={100} autocapitalize="none" spellcheck={false} required />
        </label>
        <p class="soft">
          As pages name it: <code>environment: 'staging'</code>. It cannot be renamed, for its events and
          pages have the name.
        </p>
      </FormDialog>
    )
  if ('ofKey' in asked)
    return (
      <FormDialog
        title={`Environments of ${asked.ofKey.name}`}
        close={close}
        save={(chosen) =>
          make({ change: 'set-environments', id: asked.ofKey.id, environments: readChosen(chosen) })
        }
      >
        <EnvironmentChoice environments={environments} of={asked.ofKey} />
      </FormDialog>
    )
  if ('once' in asked)
    return (
      <ShownOnce title={asked.once} value={asked.value} close={close}>
        {asked.end !== undefined && (
          <p class="soft">
            {asked.once === 'The link' ? 'It works once, until ' : 'The old key works until '}
            <Moment time={asked.end} />.
          </p>
        )}
      </ShownOnce>
    )
  return (
    <FormDialog title={asked.title} action={asked.action} close={close} save={() => make(asked.change)}>
      <p>{asked.text}</p>
    </FormDialog>
  )
}

/** Changes the password of whoever is logged in. */
export function OwnPassword() {
  const [isOpen, setOpen] = useState(false)
  const old = useRef<HTMLInputElement>(null)
  const next = useRef<HTMLInputElement>(null)
  return (
    <p class="buttons">
      <button class="button" type="button" onClick={() => setOpen(true)}>
        Change my password
      </button>
      {isOpen && (
        <FormDialog
          title="Change my password"
          close={() => setOpen(false)}
          save={async () => {
            // A password may begin or end with a blank.
            await changePassword(old.current?.value ?? '', next.current?.value ?? '')
          }}
        >
          <label>
            Old password
            <input ref={old} type="password" autocomplete="current-password" required />
          </label>
          <label>
            New password, 8 characters or more
            <input ref={next} type="password" autocomplete="new-password" minLength={8} required />
          </label>
          <p class="soft">All other logins of yours end.</p>
        </FormDialog>
      )}
    </p>
  )
}
