import { place } from './location'
import { scopeParameters } from './scope'

/** The parameters for a link to another page: what the header sets, and `more`. */
export function scopeSearch(more: Record<string, string> = {}): URLSearchParams {
  const search = new URLSearchParams()
  for (const name of scopeParameters) {
    const value = place.get().search.get(name)
    if (value !== null) search.set(name, value)
  }
  for (const [name, value] of Object.entries(more)) search.set(name, value)
  return search
}
