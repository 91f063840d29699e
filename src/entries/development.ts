import { withChecks } from '../plugins/checks'
import { createWaymark as create, waymark as usual } from './index'
import type { EventMap } from '../core/types'

// The main entry where a bundler knows the condition `development`: the same instance, which says what is wrong.

export const createWaymark = <Events extends object = EventMap>() => withChecks(create<Events>())

export const waymark = withChecks(usual)
