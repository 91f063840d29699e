import { Ajv } from 'ajv'

/**
 * Compiles a schema of this service to a function that checks values. By default ajv compiles the schema of schemas first,
 * in each instance anew: that took 25 ms of every body and parameter list, and a quarter of the service's start.
 */
export const compileSchema = <T>(schema: object, options?: { coerceTypes: boolean }) =>
  new Ajv({ allowUnionTypes: true, meta: false, validateSchema: false, ...options }).compile<T>(schema)
