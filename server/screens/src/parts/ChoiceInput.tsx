interface Props {
  label: string
  value: string
  /** The id of a `ChoiceList`. */
  list: string
  placeholder?: string
  choose: (value: string) => void
}

/** A field for a name: one of the list, or any other. It is taken when the field is left, by Enter, or by a pick. */
export function ChoiceInput({ label, value, list, placeholder, choose }: Props) {
  const take = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const next = currentTarget.value.trim()
    if (next !== value) choose(next)
  }
  return (
    <input
      class="choice"
      type="text"
      aria-label={label}
      list={list}
      value={value}
      placeholder={placeholder}
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
      onChange={take}
      // So browsers name the change when one of the list is picked.
      onInput={(event) => event.inputType === 'insertReplacementText' && take(event)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        // Else Enter is a change, too, and the name is taken twice.
        event.preventDefault()
        take(event)
      }}
    />
  )
}
