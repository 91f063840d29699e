import { useSearch } from '../../shell/useSearch'
import { type Filter, showValue } from './dimensions'

/** What is filtered by, each with a button that ends it. */
export function FilterList({ filters }: { filters: readonly Filter[] }) {
  const [, setSearch] = useSearch()
  if (filters.length === 0) return null
  return (
    <div class="filters">
      <span class="soft" id="filters-title">
        Only sessions with
      </span>
      <ul aria-labelledby="filters-title">
        {filters.map(({ dimension, value }) => (
          <li key={dimension.name}>
            <button
              class="button"
              type="button"
              aria-label={`Remove the filter ${dimension.title}: ${showValue(dimension, value)}`}
              onClick={() => setSearch({ [dimension.name]: undefined })}
            >
              <span class="soft">{dimension.title}:</span> {showValue(dimension, value)}{' '}
              <span aria-hidden="true">×</span>
            </button>
          </li>
        ))}
      </ul>
      {filters.length > 1 && (
        <button
          class="button quiet"
          type="button"
          onClick={() =>
            setSearch(Object.fromEntries(filters.map(({ dimension }) => [dimension.name, undefined])))
          }
        >
          Remove all
        </button>
      )}
    </div>
  )
}
