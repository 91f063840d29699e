import type { changeAccess, KnownKey } from '../../data/access'

export type Change = Parameters<typeof changeAccess>[0]
/** What is asked before it is done, or shown once. */
export type Asked =
  | 'invite'
  | 'key'
  | 'environment'
  | { ofKey: KnownKey }
  | { title: string; action: string; text: string; change: Change }
  | { once: string; value: string; end?: string | undefined }

export interface Doing {
  ask: (asked: Asked) => void
  /** Changes at once, and shows what is shown once. */
  make: (change: Change) => Promise<void>
}

export const roles = { read: 'reads', write: 'reads and writes', admin: 'admin' }

export const RoleOptions = () => (
  <>
    <option value="read">reads</option>
    <option value="write">reads and writes</option>
    <option value="admin">admin: also users, keys and environments</option>
  </>
)

/** A button in a row, which says of what to whoever does not see the row. */
export const Quiet = ({ label, of, onClick }: { label: string; of: string; onClick: () => void }) => (
  <button class="button quiet" type="button" aria-label={`${label}: ${of}`} onClick={onClick}>
    {label}
  </button>
)
