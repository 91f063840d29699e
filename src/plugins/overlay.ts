import type { Plugin } from '../core/types'

export interface OverlayOptions {
  /**
   * The plan of `definePlan`, or what `waymark plan` has made of it (`plan.json`), which knows the lines. Each schema is
   * a Standard Schema or a JSON Schema. @defaultValue none: nothing is compared
   */
  plan?: { readonly events: Readonly<Record<string, object>>; readonly traits?: object }
  /** What opens and closes it: modifiers and a key. @defaultValue `'Alt+Shift+E'` */
  key?: string
}

export interface Overlay extends Plugin {
  /** Opens it, where there is no keyboard. */
  open(): void
}

/**
 * Shows in the page each event as it happens, its way, and what is not as planned. It is there in development alone:
 * this is what every other build gets, and does nothing.
 *
 * @example
 * waymark.init('pk_1', { endpoint: '/w', plugins: [pageviews(), overlay({ plan })] })
 */
export const overlay: (options?: OverlayOptions) => Overlay = () => ({ name: 'overlay', open() {} })
