// What is wrong with a property, in the words of the service (`server/src/plan/createJudge.ts`).

const withArticle = (type: string) =>
  type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`

export const listTypes = (types: readonly string[]) => `must be ${types.map(withArticle).join(' or ')}`

const show = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** By the keyword of JSON Schema, with its value. */
export const problems: Record<string, (value: never) => string> = {
  false: () => 'is not in the plan',
  required: () => 'is missing',
  dependentRequired: () => 'is missing',
  type: (types: string | string[]) => listTypes([types].flat()),
  enum: (values: unknown[]) => `must be one of ${values.map(show).join(', ')}`,
  const: (value: unknown) => `must be ${show(value)}`,
  minimum: (limit: number) => `must be >= ${limit}`,
  maximum: (limit: number) => `must be <= ${limit}`,
  exclusiveMinimum: (limit: number) => `must be > ${limit}`,
  exclusiveMaximum: (limit: number) => `must be < ${limit}`,
  multipleOf: (number: number) => `must be multiple of ${number}`,
  minLength: (limit: number) => `must NOT have fewer than ${limit} characters`,
  maxLength: (limit: number) => `must NOT have more than ${limit} characters`,
  minItems: (limit: number) => `must NOT have fewer than ${limit} items`,
  maxItems: (limit: number) => `must NOT have more than ${limit} items`,
  uniqueItems: () => 'must NOT have duplicate items',
  contains: () => 'must contain at least 1 valid item(s)',
  minProperties: (limit: number) => `must NOT have fewer than ${limit} properties`,
  maxProperties: (limit: number) => `must NOT have more than ${limit} properties`,
  propertyNames: () => 'property name must be valid',
  not: () => 'must NOT be valid',
  pattern: (pattern: string) => `must match pattern "${pattern}"`,
}
