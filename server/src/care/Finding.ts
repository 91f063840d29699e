/** The result of one check. */
export interface Finding {
  ok: boolean
  /** One sentence that says what is right or wrong. */
  text: string
}

export const fine = (text: string): Finding => ({ ok: true, text })
export const wrong = (text: string): Finding => ({ ok: false, text })
