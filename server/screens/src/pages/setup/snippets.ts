import { base } from '../../data/base'

interface Given {
  apiKey: string
  environment: string
  endpoint: string
}

/** Where a page finds the service: where these screens are. */
export const ownEndpoint = (): string => location.origin + base

/** The environment of the library when none is said. */
const usualEnvironment = 'production'

const scriptTag = ({ apiKey, environment, endpoint }: Given) => {
  const attributes = [
    `data-api-key="${apiKey}"`,
    `data-endpoint="${endpoint}"`,
    ...(environment === usualEnvironment ? [] : [`data-environment="${environment}"`]),
    'data-plugins="campaign"',
    'data-pageviews></script>',
  ]
  // Without `crossorigin` a script of another origin cannot load plugins from beside itself.
  return [`<script async crossorigin src="${endpoint}/waymark.iife.js"`, ...attributes].join('\n        ')
}

const npm = ({ apiKey, environment, endpoint }: Given) => {
  const options = [
    `  endpoint: '${endpoint}',`,
    ...(environment === usualEnvironment ? [] : [`  environment: '${environment}',`]),
    '  plugins: [campaign(), pageviews()],',
  ]
  return [
    "import { waymark } from 'waymark'",
    "import { campaign } from 'waymark/campaign'",
    "import { pageviews } from 'waymark/pageviews'",
    '',
    `waymark.init('${apiKey}', {`,
    ...options,
    '})',
  ].join('\n')
}

/** What is put on a page, in each of the ways. */
export const snippets = [
  { name: 'tag', title: 'Script tag', write: scriptTag },
  { name: 'npm', title: 'npm', write: npm },
] as const
