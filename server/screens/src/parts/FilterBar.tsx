import { isFixed } from '../data/guest'
import type { Counted } from '../data/fields'
import { describeFilter } from '../data/filters'
import { useFilters } from '../address/useFilters'
import { FilterForm } from './FilterForm'

/** What is filtered by, each with a button that ends it, and a field for one more. */
export function FilterBar({ of }: { of: Counted }) {
  const { filters, add, remove, clear } = useFilters()
  return (
    <div class="filters">
      <span class="soft" id="filters-title">
        {filters.length === 0 ? `All ${of}` : of === 'people' ? 'Only people:' : `Only ${of} with`}
      </span>
      {filters.length > 0 && (
        <ul aria-labelledby="filters-title">
          {filters.map((filter) => (
            <li key={describeFilter(filter, of)}>
              {isFixed() ? (
                describeFilter(filter, of)
              ) : (
                <button
                  class="button"
                  type="button"
                  aria-label={`Remove the filter ${describeFilter(filter, of)}`}
                  onClick={() => remove(filter)}
                >
                  {describeFilter(filter, of)} <span aria-hidden="true">×</span>
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {filters.length > 1 && !isFixed() && (
        <button class="button quiet" type="button" onClick={clear}>
          Remove all
        </button>
      )}
      {!isFixed() && <FilterForm of={of} add={add} />}
    </div>
  )
}
