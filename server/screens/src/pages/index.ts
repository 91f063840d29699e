import type { Page } from '../shell/Page'
import { page as overview } from './overview'

/** In the order of the navigation. */
export const pages: readonly Page[] = [overview]
