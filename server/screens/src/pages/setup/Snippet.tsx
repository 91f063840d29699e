import { useRef, useState } from 'preact/hooks'
import { Card } from '../../parts/Card'
import { Tabs } from '../../parts/Tabs'
import { ownEndpoint, snippets } from './snippets'

interface Props {
  /** Undefined for a user who may not see keys. */
  apiKey: string | undefined
  environment: string
  /** Something has come from it. */
  isGood: boolean
}

/** What to put on a page. A click copies it. */
export function Snippet({ apiKey = 'pk_your_key', environment, isGood }: Props) {
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
