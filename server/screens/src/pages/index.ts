import type { Page } from '../shell/Page'
import { page as funnel } from './funnel'
import { page as live } from './live'
import { page as overview } from './overview'
import { page as paths } from './paths'
import { page as persons } from './persons'
import { page as retention } from './retention'
import { page as setup } from './setup'
import { page as sql } from './sql'

/** In the order of the navigation. */
export const pages: readonly Page[] = [overview, live, persons, funnel, retention, paths, sql, setup]
