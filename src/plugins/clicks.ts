import type { Plugin } from '../core/types'
import { listen } from './listen'
import { readTrackData } from './readTrackData'

export interface ClickOptions {
  /** Record clicks on links to other sites. @defaultValue `true` */
  outbound?: boolean
  /** Links to files that count as downloads, by the end of their path; `false` for none. @defaultValue documents, archives, media */
  downloads?: RegExp | false
}

const files =
  /\.(pdf|docx?|xlsx?|pptx?|odt|ods|csv|txt|rtf|zip|rar|7z|gz|tar|dmg|exe|msi|pkg|apk|iso|mp[34]|mov|avi|wav|epub)$/i

/**
 * Records clicks on elements with `data-track="Event"`, and on links that lead to another site (`Outbound Link
 * Clicked`) or to a file (`File Downloaded`). One click is one event: what `data-track` says comes first.
 */
export function clicks({ outbound = true, downloads = files }: ClickOptions = {}): Plugin {
  return {
    name: 'clicks',
    start({ track, cleanUrl }) {
      const clicked = (event: MouseEvent) => {
        // The path goes into open shadow trees; `event.target` does not.
        const path = event.composedPath().filter((node) => node instanceof Element)
        // A form speaks for its submits, not for clicks in it.
        const told = path.find((element) => element.matches('[data-track]:not(form)'))
        const said = told && readTrackData(told)
        if (said) return void track(...said)
        const link = path.find((element) => element instanceof HTMLAnchorElement)
        if (!link || !/^https?:$/.test(link.protocol)) return
        const url = cleanUrl(link.href)
        if (link.hasAttribute('download') || (downloads && downloads.test(link.pathname))) {
          track('File Downloaded', { url, file: link.pathname.replace(/.*\//, '') })
        } else if (outbound && link.host !== location.host) {
          track('Outbound Link Clicked', { url })
        }
      }
      const stops = [
        listen(document, 'click', clicked),
        // The middle button opens a link in a new tab; the right one only a menu.
        listen(document, 'auxclick', (event: MouseEvent) => event.button === 1 && clicked(event)),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
