/**
 * A call made before the script was there: `['track', 'Signed Up', { plan: 'pro' }]`. `waymark.early.js` notes when
 * and where.
 */
export type Command = [name: string, ...args: unknown[]] & {
  calledAt?: number
  url?: string
  referrer?: string
}

/**
 * Reads the script's own tag: `data-api-key`, `data-endpoint`, `data-environment`, `data-release`, `data-debug`,
 * `data-pageviews`, and every other option as JSON in `data-config`. No inline code is needed.
 */
export function readTag() {
  const { apiKey, config, debug, pageviews, ...rest } = document.currentScript?.dataset ?? {}
  const page = window as { waymark?: unknown }
  return {
    apiKey,
    config: { ...rest, ...(debug !== undefined && { debug: debug !== 'false' }), ...parse(config) },
    /** `data-pageviews`, with the names of the options that are to be on; undefined without it. */
    pageviews:
      pageviews === undefined || pageviews === 'false'
        ? undefined
        : { replace: pageviews.includes('replace'), query: pageviews.includes('query') },
    /** What the page has called so far. */
    commands: Array.isArray(page.waymark) ? (page.waymark as Command[]) : [],
    publish(api: unknown) {
      page.waymark = api
    },
  }
}

function parse(json = '{}'): object {
  try {
    return JSON.parse(json)
  } catch {
    console.warn('[waymark] data-config is not JSON')
    return {}
  }
}
