import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const collectEveryMs = 50
let collecting: NodeJS.Timeout | undefined

/**
 * Collects garbage after work that failed or was given up. What DuckDB made is freed with the objects that stand for it,
 * of whose size V8 knows nothing: a hundred answers of some 10 MB each, or a row that did not fit, would wait for a
 * collection that these small objects never cause.
 */
export const collectSoon = (): void => {
  collecting ??= setTimeout(() => {
    collecting = undefined
    collectGarbage()
  }, collectEveryMs).unref()
}
