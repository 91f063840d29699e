import type { Page } from '../../shell/Page'
import { Overview } from './Overview'

export const page: Page = { path: '/app/', title: 'Overview', view: Overview, isFiltered: true }
