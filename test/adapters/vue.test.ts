// @vitest-environment happy-dom
import { createApp, createSSRApp, defineComponent, h } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { describe, expect, it } from 'vitest'
import { waymark as usual } from '../../src/entries/index'
import { useTrack, useWaymark, waymarkPlugin } from '../../src/adapters/vue'
import { createWorld } from '../world/createWorld'

const config = { endpoint: 'https://api.test' }

describe('waymarkPlugin', () => {
  it('starts the instance and hands it to components and templates', async () => {
    const world = createWorld()
    const waymark = world.openTab().create()
    const Child = defineComponent(() => {
      useTrack()('From setup')
      expect(useWaymark()).toBe(waymark)
      return () => h('p')
    })
    const app = createApp(Child).use(waymarkPlugin({ waymark, apiKey: 'pk_test', config }))
    expect(app.config.globalProperties['$waymark']).toBe(waymark)
    app.mount(document.createElement('div'))
    await world.advance(3000)
    expect(world.service.names()).toEqual(['From setup'])
    app.unmount()
  })

  it('leaves the start to others when it has no key', async () => {
    const world = createWorld()
    const waymark = world.openTab().create()
    const app = createApp({ render: () => h('p') }).use(waymarkPlugin({ waymark }))
    app.mount(document.createElement('div'))
    waymark.track('Waits')
    await world.advance(3000)
    expect(world.service.names()).toEqual([])
    waymark.init('pk_test', config)
    await world.advance(3000)
    expect(world.service.names()).toEqual(['Waits'])
  })

  it('renders on a server', async () => {
    const Child = defineComponent(() => {
      const { ids } = useWaymark()
      return () => h('p', ids.deviceId)
    })
    expect(await renderToString(createSSRApp(Child))).toBe('<p></p>')
  })
})

describe('useWaymark', () => {
  it('gives the usual instance where the plugin is not used', () => {
    let seen
    const Child = defineComponent(() => {
      seen = useWaymark()
      return () => h('p')
    })
    createApp(Child).mount(document.createElement('div'))
    expect(seen).toBe(usual)
  })
})
