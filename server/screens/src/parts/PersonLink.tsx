import { addressOf } from '../shell/location'
import { scopeSearch } from '../shell/scopeSearch'

interface Props {
  id: string
  name?: string
  /** By default the one that is shown. */
  environment?: string
}

/** A person's name, which leads to the person's timeline. */
export const PersonLink = ({ id, name = id, environment }: Props) => (
  <a
    class="person-link"
    href={addressOf(
      '/app/persons',
      scopeSearch({ id, ...(environment === undefined ? {} : { env: environment }) }),
    )}
  >
    {name}
  </a>
)
