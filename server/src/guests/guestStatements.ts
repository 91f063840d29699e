import { refuse } from '../http/HttpError.js'

/** What a link shows: one page at one address or, without a path, all pages that guests may see. */
export interface Shown {
  path: string | null
  search: string
}

/** Where a guest is, and the time that the page shows. */
export interface GuestQuestion {
  path: string
  search: string
  from: string
  until: string
  before: { from: string; until: string } | null
  unit: string
  time_zone: string
}

/** What the screens know of guests (`server/screens/src/guest/guestStatements.ts`). */
interface ScreensCode {
  /** Why guests may not see an address; undefined when they may. */
  findRefusal(address: { path: string; search: string }, isOfGuest: boolean): string | undefined
  /** The statements that a page asks for a guest. */
  guestStatements(shown: Shown, question: GuestQuestion): string[]
}

/** The build of the screens writes it. */
const file = new URL('../../dist/guestStatements.js', import.meta.url).href

/** The screens' own code that makes statements. Both sides run the same code, so that both write the same text. */
export const loadGuestStatements = (): Promise<ScreensCode> =>
  import(file).catch(() => {
    throw refuse(503, 'no-screens', 'The screens have not been built, so nobody can be their guest.')
  }) as Promise<ScreensCode>
