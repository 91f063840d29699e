import type { Page } from '../../shell/Page'
import { Vitals } from './Vitals'

export const page: Page = { path: '/app/vitals', title: 'Vitals', view: Vitals, isFiltered: true }
