import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import Provider from 'oidc-provider'
import { createService } from './fixtures/createService'
import { expectAccessible } from './fixtures/expectAccessible'

// The provider says what a real one should have.
test.beforeAll(() => {
  for (const level of ['info', 'warn'] as const) console[level] = () => undefined
})

test.use({ timezoneId: 'UTC', viewport: { width: 1280, height: 900 } })

/** Who has an account at the provider, and in which groups. */
const accounts: Record<string, { email: string; groups: string[] }> = {
  grace: { email: 'grace@example.com', groups: ['analysts'] },
  olga: { email: 'olga@example.com', groups: ['analysts', 'owners'] },
  nick: { email: 'nick@example.com', groups: ['gardeners'] },
}

const page = (links: string) => `<!doctype html><html lang="en"><title>The provider</title>${links}`

/** A provider whose page asks who one is, and believes it. */
const createProvider = (issuer: string, home: string) => {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'waymark',
        client_secret: 'a secret of the provider',
        redirect_uris: [`${home}/oidc/callback`],
        post_logout_redirect_uris: [`${home}/app/`],
      },
    ],
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: { openid: ['sub'], profile: [], email: ['email'], groups: ['groups'] },
    cookies: { keys: ['only for tests'] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        logoutSource(context, form) {
          context.body = page(`${form}<button form="op.logoutForm" name="logout" value="yes">Leave</button>`)
        },
      },
    },
    interactions: { url: (_, { uid }) => `/login/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts[id] }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: 'waymark', accountId: oidc.session!.accountId! })
      grant.addOIDCScope('openid profile email groups')
      await grant.save()
      return grant
    },
  })
  const callback = provider.callback()
  const server = createServer((request, response) => {
    const [, , uid, name] = request.url!.split('/')
    if (!request.url!.startsWith('/login/')) void callback(request, response)
    else if (name !== undefined)
      void provider.interactionFinished(request, response, { login: { accountId: name } })
    else
      response.writeHead(200, { 'content-type': 'text/html' }).end(
        page(
          Object.keys(accounts)
            .map((each) => `<a href="/login/${uid}/${each}">I am ${each}</a> `)
            .join(''),
        ),
      )
  })
  return server
}

test('a provider logs in by group, refuses who has none, and hears of a logout', async ({
  context,
  page: tab,
}) => {
  const data = await mkdtemp(join(tmpdir(), 'waymark-oidc-'))
  // The provider must know the service's address, and the service the provider's.
  let provider: ReturnType<typeof createProvider> | undefined
  const door = createServer((request, response) => void provider?.emit('request', request, response))
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(door.address() as AddressInfo).port}`
  const service = await createService(data, {
    more: [
      `--oidc-issuer=${issuer}`,
      '--oidc-client-id=waymark',
      '--oidc-client-secret=a secret of the provider',
      '--oidc-roles=analysts=read,owners=admin',
    ],
  })
  const { url } = service
  provider = createProvider(issuer, url)
  const problems: string[] = []
  tab.on('pageerror', ({ message }) => problems.push(message))
  const button = tab.getByRole('link', { name: 'Log in by single sign-on' })
  const logIn = async (name: string) => {
    await button.click()
    await tab.getByRole('link', { name: `I am ${name}` }).click()
  }
  const logOut = async () => {
    await tab.getByRole('button', { name: 'Log out' }).click()
    await tab.getByRole('button', { name: 'Leave' }).click()
    await expect(tab).toHaveURL((at) => at.href.startsWith(`${issuer}/session/end/success`))
    await tab.goto(`${url}/app/setup`)
    await expect(button).toBeVisible()
  }

  await test.step('without a group there is no login, and the page says why', async () => {
    await tab.goto(`${url}/app/`)
    await expectAccessible(tab, 'the form of a login with a provider')
    await logIn('nick')
    await expect(tab.getByRole('alert')).toContainText('None of your groups may use this service.')
    expect(tab.url()).toBe(`${url}/app/`)
    await expectAccessible(tab, 'a login that was refused')
    await context.clearCookies()
  })
  await test.step('a group gives its role, and a logout ends both logins', async () => {
    await tab.goto(`${url}/app/setup`)
    await logIn('grace')
    await expect(tab.getByRole('button', { name: 'Log out' })).toBeVisible()
    await tab.goto(`${url}/app/setup`)
    await expect(tab.getByText('Users who may write see keys and users here.')).toBeVisible()
    await logOut()
    await button.click()
    // Nobody is logged in at the provider any more, so it asks.
    await expect(tab.getByRole('link', { name: 'I am grace' })).toBeVisible()
  })
  await test.step('the highest role of the groups counts, and users of the provider are told as such', async () => {
    await tab.getByRole('link', { name: 'I am olga' }).click()
    await expect(tab.getByRole('button', { name: 'Log out' })).toBeVisible()
    await tab.goto(`${url}/app/setup`)
    const row = tab
      .getByRole('region', { name: 'Users', exact: true })
      .getByRole('row', { name: /grace@example/ })
    await expect(row).toContainText('--oidc-issuer')
    await row.getByRole('button', { name: /^Remove/ }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expect(row).toHaveCount(0)
    await logOut()
  })
  door.close()
  door.closeAllConnections()
  expect(problems).toEqual([])
  await service.stop()
  await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})
