import type { Plugin } from '../core/types'
import { listen } from './listen'
import { readTrackData } from './readTrackData'

/**
 * Records `Form Submitted` with the form's id, name and address, or the event that its `data-track` names. What was
 * typed in is never read.
 */
export function forms(): Plugin {
  return {
    name: 'forms',
    start: ({ track, cleanUrl }) =>
      listen(document, 'submit', ({ target }: Event) => {
        if (!(target instanceof HTMLFormElement)) return
        const [event, properties] = readTrackData(target) ?? ['Form Submitted', {}]
        // Attributes only: a field called `id`, `name` or `action` hides the form's property of that name.
        const read = (name: string) => target.getAttribute(name) || undefined
        track(event, {
          form_id: read('id'),
          form_name: read('name'),
          form_action: cleanUrl(new URL(read('action') ?? '', document.baseURI).href),
          ...properties,
        })
      }),
  }
}
