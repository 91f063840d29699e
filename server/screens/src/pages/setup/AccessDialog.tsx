import { useRef, useState } from 'preact/hooks'
import { changePassword } from '../../data/access'
import { FormDialog, ShownOnce } from '../../parts/FormDialog'
import { Moment } from '../../parts/Moment'
import { type Asked, type Change, RoleOptions } from './askAccess'

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
        save={({ name = '', kind = '', environment = '' }) =>
          make({ change: 'make-key', name, kind, environments: environment === '' ? null : [environment] })
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
        <label>
          Writes to
          <select name="environment">
            <option value="">all environments</option>
            {environments.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
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
