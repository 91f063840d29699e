import { useScope } from '../../shell/scope'
import { useSearch } from '../../shell/useSearch'
import { Person } from './Person'
import { PersonList } from './PersonList'

/** People to look for, or one of them, whose id is in the address. */
export function Persons() {
  const [search] = useSearch()
  const { environment } = useScope()
  const id = search.get('id')
  return id === null ? <PersonList /> : <Person key={`${environment}\n${id}`} id={id} />
}
