import type { Page } from '../../shell/Page'
import { SqlPage } from './SqlPage'

export const page: Page = { path: '/app/sql', title: 'SQL', view: SqlPage, controls: [] }
