/** The host of a URL with its port; NULL where there is none. */
export const hostOf = (url: string): string =>
  `nullif(regexp_extract(${url}, '^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#]+)', 1), '')`

/** The path of a URL, without query and fragment. */
export const pathOf = (url: string): string =>
  `nullif(regexp_extract(${url}, '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*([^?#]*)', 1), '')`

/** Up to the slash behind the host, of an address of the web. */
const originOf = (url: string) => `left(${url}, 8 + strpos(substr(${url}, 9), '/'))`

/**
 * A referrer that is another site than the page's own. Most are the same one, and to see that they begin
 * alike takes a fifth of the time of finding both hosts.
 */
export const foreignReferrer = (referrer: string, url: string): string =>
  `CASE WHEN ${referrer} IS NULL THEN NULL
    WHEN (starts_with(${referrer}, 'https://') OR starts_with(${referrer}, 'http://'))
      AND strpos(substr(${referrer}, 9), '/') > 0 AND starts_with(${url}, ${originOf(referrer)}) THEN NULL
    WHEN ${hostOf(referrer)} IS DISTINCT FROM ${hostOf(url)} THEN ${referrer} END`
