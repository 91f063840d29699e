import { spawnService, urlIn, type Spawned } from '../fixtures/spawnService.js'
import { killFamily } from './processFamily.js'

/** One process of the service (with its engine, where it has one), which can be killed and started again. */
export class ServiceProcess {
  readonly #flags: readonly string[]
  #spawned: Spawned | undefined
  #url = ''

  constructor(flags: readonly string[]) {
    this.#flags = flags
  }

  get url(): string {
    return this.#url
  }

  get pid(): number {
    return this.#spawned!.pid
  }

  /** What it has said by now; errors only, unless its flags say otherwise. */
  get log(): string {
    return this.#spawned?.log() ?? ''
  }

  /** Resolves once it is ready; rejects with what it said where it ends instead. */
  async start(): Promise<void> {
    const common = ['--port', '0', '--api-keys', 'key', '--users', 'ada:lovelace', '--log-level', 'error']
    const spawned = spawnService([...common, ...this.#flags], { direct: true })
    this.#spawned = spawned
    const line = await spawned.listening
    if (line === undefined) throw new Error(`The service ended: ${(await spawned.ended).stderr}`)
    this.#url = urlIn(line)
  }

  /** `kill -9`, of its engine too. */
  async kill(): Promise<void> {
    if (this.#spawned === undefined) return
    await killFamily(this.#spawned.pid)
    await this.#spawned.ended
  }
}
