import { useScope } from '../../shell/scope'
import { useSearch } from '../../shell/useSearch'
import { Person } from './Person'
import { PersonSearch } from './PersonSearch'

/** People to look for, or one of them, whose id is in the address. */
export function Persons() {
  const [search] = useSearch()
  const { environment } = useScope()
  const id = search.get('id')
  return id === null ? <PersonSearch /> : <Person key={`${environment}\n${id}`} id={id} />
}
