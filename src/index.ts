import { createWaymark } from './waymark'

export { createWaymark }
export type * from './types'

/** The one instance that most pages need. */
export const waymark = createWaymark()
