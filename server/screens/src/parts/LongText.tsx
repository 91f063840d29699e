/** A longer text is opened by a click. */
const usual = 160

/** A text whose start is shown while it is closed. */
export function LongText({ text, most = usual }: { text: string; most?: number }) {
  if (text.length <= most) return <>{text}</>
  return (
    <details class="long-text">
      <summary>{text.slice(0, most)} …</summary>
      {text}
    </details>
  )
}
