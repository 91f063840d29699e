import type { Page } from '../shell/Page'
import { page as live } from './live'
import { page as overview } from './overview'
import { page as persons } from './persons'

/** In the order of the navigation. */
export const pages: readonly Page[] = [overview, live, persons]
