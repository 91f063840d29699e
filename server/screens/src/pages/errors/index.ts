import type { Page } from '../../shell/Page'
import { Errors } from './Errors'

export const page: Page = { path: '/app/errors', title: 'Errors', view: Errors, isFiltered: true }
