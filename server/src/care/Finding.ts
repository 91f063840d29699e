/** One thing that was looked at. */
export interface Finding {
  ok: boolean
  /** What is so, or what is wrong. */
  text: string
}

export const fine = (text: string): Finding => ({ ok: true, text })
export const wrong = (text: string): Finding => ({ ok: false, text })
