interface Props {
  label: string
  value: string
  /** The id of a `ChoiceList`. */
  list: string
  placeholder?: string
  choose: (value: string) => void
}

/** A field for a name: one of the list, or any other. */
export const ChoiceInput = ({ label, value, list, placeholder, choose }: Props) => (
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
    onChange={(event) => choose(event.currentTarget.value.trim())}
    onInput={(event) => {
      // So a browser marks what was picked of the list; it is not left to the moment when the field is left.
      if (event.inputType === 'insertReplacementText') choose(event.currentTarget.value.trim())
    }}
    onKeyDown={(event) => {
      if (event.key === 'Enter') choose(event.currentTarget.value.trim())
    }}
  />
)
