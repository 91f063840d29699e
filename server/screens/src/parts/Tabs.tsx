interface Props {
  /** What is chosen from. */
  name: string
  tabs: readonly { name: string; title: string }[]
  chosen: string
  choose: (name: string) => void
}

/** Buttons of which one is pressed. */
export const Tabs = ({ name, tabs, chosen, choose }: Props) => (
  <div class="tabs" role="group" aria-label={`${name} by`}>
    {tabs.map((tab) => (
      <button
        key={tab.name}
        class="button quiet"
        type="button"
        aria-pressed={tab.name === chosen}
        onClick={() => choose(tab.name)}
      >
        {tab.title}
      </button>
    ))}
  </div>
)
