import type { Waymark } from '../core/types'
import { createWaymark } from '../core/waymark'

export { createWaymark }
export type * from '../core/types'

/** The one instance that most pages need. */
export const waymark: Waymark = /* @__PURE__ */ createWaymark()
