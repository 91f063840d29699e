import type { Plugin } from '../core/types'
import { listen } from './listen'
import { cut } from '../core/json'

export interface ErrorOptions {
  /** Errors recorded in one page, each different one once. @defaultValue `10` */
  maxErrors?: number
}

const maxMessage = 500
const maxStack = 2000

/** Addresses in a stack lose their query and fragment, where tokens live. */
const redact = (text: string) => text.replace(/(https?:[^\s?#]+)[?#][^\s)]*?(?=:\d+|[\s)]|$)/g, '$1')

/** Records `Error Caught` for errors and rejected promises that nobody handled. */
export function errors({ maxErrors = 10 }: ErrorOptions = {}): Plugin {
  return {
    name: 'errors',
    start({ track }) {
      const known = new Set<string>()

      const caught = (error: unknown, text: string, kind: string) => {
        const { name, message, stack } = Object(error) as Partial<Record<keyof Error, unknown>>
        const said = cut(redact(String(message ?? (text || error))), maxMessage)
        const where = stack === undefined ? undefined : cut(redact(String(stack)), maxStack)
        const key = said + where
        // A script of another site that does not let itself be read tells nothing.
        if ((!error && /^script error\.?$/i.test(text)) || known.has(key) || known.size >= maxErrors) return
        known.add(key)
        track('Error Caught', {
          kind,
          message: said,
          name: name === undefined ? undefined : cut(String(name), 100),
          stack: where,
        })
      }

      const stops = [
        listen(window, 'error', (event: ErrorEvent) => {
          // An image that was not found is heard here, too, and is no error of a script.
          if ((event.target as Node).nodeType !== 1) caught(event.error, event.message, 'error')
        }),
        listen(window, 'unhandledrejection', (event: PromiseRejectionEvent) =>
          caught(event.reason, '', 'rejection'),
        ),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
