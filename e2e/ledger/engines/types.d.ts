/** One tab of a driven browser. */
export interface Tab {
  goto(url: string): Promise<void>
  /** As its button does: by script, Chromium names the page itself as the referrer. */
  reload(): Promise<void>
  /** Evaluates an expression in the page; resolves to its value, a promise's too. */
  run(expression: string): Promise<any>
  back(): Promise<void>
  forward(): Promise<void>
  close(): Promise<void>
}

/** A browser under a driver. */
export interface Session {
  pid: number
  open(url: string): Promise<Tab>
  /** `kill -9` of every process that runs pages; resolves to when. */
  killRenderers(): Promise<number>
  close(): Promise<void>
}

/** A browser without a driver: the page drives itself. */
export interface Alone {
  pid: number
  killRenderers(): Promise<number>
  /** `kill -9` of the browser itself; resolves to when. */
  killBrowser(): Promise<number>
  stop(): Promise<void>
}

export interface LaunchOptions {
  /** A folder that outlives the browser. */
  profile: string
  /** Plain-http names that are not loopback go through this proxy. */
  proxyPort: number
  /** For the browser's command line; only Chromium takes them. */
  flags?: string[]
}

export interface Engine {
  name: 'chromium' | 'firefox' | 'webkit'
  version: string
  launch(options: LaunchOptions): Promise<Session>
  launchAlone(options: LaunchOptions & { url: string }): Promise<Alone>
  /** Ends what all of its browsers share. */
  dispose(): Promise<void>
}
