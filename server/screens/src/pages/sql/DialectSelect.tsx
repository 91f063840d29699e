import { dialects, titleOf } from './dialects'

interface Props {
  /** Undefined for DuckDB's SQL. */
  dialect: string | undefined
  choose: (dialect: string | undefined) => void
}

/** Chooses for which database a statement is written. */
export function DialectSelect({ dialect, choose }: Props) {
  const names = Object.keys(dialects)
  if (dialect && !names.includes(dialect)) names.push(dialect)
  return (
    <label class="field">
      <span class="field-name">Written for</span>
      <select
        value={dialect ?? ''}
        onChange={({ currentTarget: { value } }) => choose(value === '' ? undefined : value)}
      >
        <option value="">DuckDB</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {titleOf(name)}
          </option>
        ))}
      </select>
    </label>
  )
}
