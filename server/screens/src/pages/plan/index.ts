import type { Page } from '../../shell/Page'
import { Plan } from './Plan'

export const page: Page = { path: '/app/plan', title: 'Plan', view: Plan, isFiltered: true }
