import { addressOf } from '../shell/location'
import { scopeSearch } from '../shell/scopeSearch'

/** A person's name, which leads to the person's timeline. */
export const PersonLink = ({ id, name = id }: { id: string; name?: string }) => (
  <a class="person-link" href={addressOf('/app/persons', scopeSearch({ id }))}>
    {name}
  </a>
)
