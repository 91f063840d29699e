import type { Json } from '../../data/query'

const classes: Record<string, string> = { good: 'is-good', 'needs improvement': 'is-middle', poor: 'is-poor' }

/** What a 75th percentile is worth, in words, with a sign that needs no colour. */
export const Rating = ({ of }: { of: Json | undefined }) =>
  typeof of === 'string' ? <span class={`rating ${classes[of] ?? ''}`}>{of}</span> : null
