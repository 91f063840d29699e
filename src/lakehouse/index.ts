export { createLakehouse, type Lakehouse, type LakehouseConfig } from './createLakehouse'
export { LakehouseError } from './LakehouseError'
export type * from './types'
