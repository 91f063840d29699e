import type { SearchChange } from '../address/location'
import { usePeopleOf } from '../address/usePeopleOf'
import { formatCount } from './format'

/** A number of people, which leads to their list; to guests the number alone. */
export function PeopleLink({ people, figure }: { people: number; figure: SearchChange }) {
  const peopleOf = usePeopleOf()
  const text = formatCount(people)
  if (!peopleOf || people === 0) return <>{text}</>
  return (
    <a class="figure-link" href={peopleOf(figure)} aria-label={`${text} people: show them`}>
      {text}
    </a>
  )
}
