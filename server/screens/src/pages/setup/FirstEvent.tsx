import { useRef, useState } from 'preact/hooks'
import { Loading, ProblemNote } from '../../parts/notes'
import { useScope } from '../../address/scope'
import { Arrivals } from './Arrivals'
import { useProgress } from './useProgress'
import { Card } from '../../parts/Card'
import { Tabs } from '../../parts/Tabs'
import { base } from '../../data/base'

interface Given {
  apiKey: string
  environment: string
  endpoint: string
}

/** Where a page finds the service: where these screens are. */
const ownEndpoint = (): string => location.origin + base

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
const snippets = [
  { name: 'tag', title: 'Script tag', write: scriptTag },
  { name: 'npm', title: 'npm', write: npm },
] as const

interface Props {
  /** Undefined for a user who may not see keys. */
  apiKey: string | undefined
  environment: string
  /** Something has come from it. */
  isGood: boolean
}

/** What to put on a page. A click copies it. */
function Snippet({ apiKey = 'pk_your_key', environment, isGood }: Props) {
  const [chosen, choose] = useState<string>('tag')
  const [copied, setCopied] = useState('')
  const text = useRef<HTMLPreElement>(null)
  const snippet = snippets.find(({ name }) => name === chosen) ?? snippets[0]
  const code = snippet.write({ apiKey, environment, endpoint: ownEndpoint() })

  const copy = async () => {
    // Only pages over https and on this machine's own address have a clipboard.
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(code)
      setCopied(code)
    } else if (text.current) getSelection()?.selectAllChildren(text.current)
  }

  return (
    <Card
      title="On your page"
      class={isGood ? 'is-good' : ''}
      aside={<Tabs name="Snippet" tabs={snippets} chosen={chosen} choose={choose} />}
    >
      {/* The button below does this by keyboard. */}
      <pre
        ref={text}
        class="sql-text snippet"
        tabIndex={0}
        role="region"
        aria-label="Snippet"
        onClick={() => void copy()}
      >
        {code}
      </pre>
      <p class="buttons">
        <button class="button strong" type="button" onClick={() => void copy()}>
          {copied === code ? 'Copied' : 'Copy'}
        </button>
        <span class="soft" role="status">
          {chosen === 'tag'
            ? 'Put it into the <head> of every page.'
            : 'Call it once, where your application starts. npm pack in a clone of waymark makes the package.'}
        </span>
      </p>
    </Card>
  )
}

type Known = ReturnType<typeof useProgress>

/** What to put on a page, and whether anything has come from it. */
export function FirstEvent({ setup, progress, problem }: Known) {
  const { environment } = useScope()
  if (!setup || !progress) return problem ? <ProblemNote problem={problem} /> : <Loading />
  const key = setup.keys?.find(({ environments }) => environments.includes(environment))
  return (
    <>
      <Arrivals progress={progress} marked={setup.marked} senders={setup.senders} environment={environment} />
      {setup.keys && !key && (
        <p>
          No API key may write to {environment}: make one below, or name it by <code>--api-keys</code>.
        </p>
      )}
      <Snippet apiKey={key?.key} environment={environment} isGood={progress.state === 'arrived'} />
    </>
  )
}

/** Instead of an overview that would be empty. */
export function EmptyStore() {
  const { environment, reload } = useScope()
  const known = useProgress(environment)
  return (
    <>
      {known.progress?.state !== 'arrived' && <p class="lead">There are no events of people here yet.</p>}
      <FirstEvent {...known} />
      {known.progress?.state === 'arrived' && (
        <p class="buttons">
          <button class="button strong" type="button" onClick={reload}>
            Show the overview
          </button>
        </p>
      )}
    </>
  )
}
