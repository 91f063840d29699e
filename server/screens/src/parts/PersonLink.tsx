import { addressOf } from '../shell/location'
import { scopeSearch } from '../shell/scopeSearch'

interface Props {
  id: string
  name?: string
  /** By default the one that is shown. */
  environment?: string
}

/** A person's name, which leads to the person's timeline. Who did not consent is known for a day, and has none. */
export const PersonLink = ({ id, name = id, environment }: Props) =>
  id.startsWith('day-') ? (
    <span class="soft" title={`${id}, an id of one day`}>
      without consent
    </span>
  ) : (
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
