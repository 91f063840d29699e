import { useEffect, useState } from 'preact/hooks'

const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)']

/** Another text whenever the colours of the page change, for what is drawn on a canvas. */
export function useTheme(): string {
  const read = () => queries.map((query) => matchMedia(query).matches).join()
  const [theme, setTheme] = useState(read)
  useEffect(() => {
    const lists = queries.map((query) => matchMedia(query))
    const look = () => setTheme(read())
    for (const list of lists) list.addEventListener('change', look)
    return () => {
      for (const list of lists) list.removeEventListener('change', look)
    }
  }, [])
  return theme
}
