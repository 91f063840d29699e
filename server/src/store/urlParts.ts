/** The host of a URL with its port; NULL where there is none. */
export const hostOf = (url: string): string =>
  `nullif(regexp_extract(${url}, '^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#]+)', 1), '')`

/** The path of a URL, without query and fragment. */
export const pathOf = (url: string): string =>
  `nullif(regexp_extract(${url}, '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*([^?#]*)', 1), '')`

/** A referrer that is another site than the page's own. */
export const foreignReferrer = (referrer: string, url: string): string =>
  `CASE WHEN ${referrer} IS NOT NULL AND ${hostOf(referrer)} IS DISTINCT FROM ${hostOf(url)} THEN ${referrer} END`
