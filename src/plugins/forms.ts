import type { Plugin } from '../core/types'
import { listen } from './listen'
import { readMember } from './readMember'
import { readTrackData } from './readTrackData'

/**
 * Records `Form Submitted` with the form's id, name and address, or the event that its `data-track` names. What was
 * typed in is never read.
 */
export function forms(): Plugin {
  return {
    name: 'forms',
    start({ track, cleanUrl }) {
      const submitted = ({ target }: Event) => {
        if (!(target instanceof HTMLFormElement)) return
        const [event, properties] = readTrackData(target) ?? ['Form Submitted', {}]
        // Attributes only: a field called `id`, `name` or `action` hides the form's property of that name.
        const read = (name: string) => readMember(target, 'getAttribute', name) || undefined
        track(event, {
          form_id: read('id'),
          form_name: read('name'),
          form_action: cleanUrl(new URL(read('action') ?? '', document.baseURI).href),
          ...properties,
        })
      }
      const stops = [listen(document, 'submit', submitted)]
      const heard = new WeakSet<EventTarget>([document])
      // A submit stays in its shadow tree; the click or the key before it does not.
      const enter = (event: Event) => {
        for (const node of event.composedPath()) {
          if (!(node instanceof ShadowRoot) || heard.has(node)) continue
          heard.add(node)
          stops.push(listen(node, 'submit', submitted))
        }
      }
      stops.push(listen(document, 'click', enter), listen(document, 'keydown', enter))
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
