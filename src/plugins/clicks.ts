import type { Plugin } from '../core/types'
import { listen } from './listen'
import { maybe } from '../core/maybe'
import { readMember } from './readMember'
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
        const path = event.composedPath() as Element[]
        // What is no element, such as the window, has no such member.
        const find = (selector: string) =>
          path.find((element) => maybe(() => readMember(element, 'matches', selector)))
        // A form speaks for its submits, not for clicks in it.
        const told = find('[data-track]:not(form)')
        const said = told && readTrackData(told)
        if (said) return void track(...said)
        const link = find('a, area') as HTMLAnchorElement | SVGAElement | undefined
        const href = link?.href
        // In SVG it is an object.
        const address = typeof href === 'object' ? href.baseVal : href
        if (!link || !address) return
        const { protocol, pathname, host, href: full } = new URL(address, document.baseURI)
        const saved = link.getAttribute('download')
        const isPage = /^https?:$/.test(protocol)
        if (saved !== null || (isPage && downloads && downloads.test(pathname))) {
          // An address such as `blob:` names no file.
          const file = isPage ? pathname.replace(/.*\//, '') : saved
          track('File Downloaded', { url: cleanUrl(full), file })
        } else if (isPage && outbound && host !== location.host) {
          track('Outbound Link Clicked', { url: cleanUrl(full) })
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
