import type { Json } from '../../data/query'

/** A value as text; undefined for NULL. */
export function showValue(value: Json | undefined): string | undefined {
  if (value === null || value === undefined) return undefined
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const number = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL.*)$/

export const isNumber = (type: string): boolean => number.test(type)

export const isTime = (type: string): boolean => /^(?:DATE|TIMESTAMP.*)$/.test(type)
