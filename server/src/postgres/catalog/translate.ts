import type { Edit, Statement } from '../statements.js'
export const translate = (_statement: Statement, _who: { user: string; database: string }): Edit[] => []
