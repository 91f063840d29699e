import { html } from '../html.mjs'
import { livePanel } from './livePanel.mjs'
import { tour } from './tour.mjs'

/**
 * @typedef {{ endpoint: string, apiKey: string, environment: string, sqlUser: string, sqlPassword: string }} Settings
 * @typedef {{ path: string, title: string, page: string, main: import('../html.mjs').Markup }} Page
 */

/** @param {string} path @param {string} href @param {string} label */
const navLink = (path, href, label) =>
  html`<a href="${href}" ${path === href ? html`aria-current="page"` : ''}>${label}</a>`

/**
 * A whole document: head, header, the page's own part and, on wide screens, the live view beside it.
 * @param {Settings} settings
 * @param {Page} page
 */
export function layout(settings, { path, title, page, main }) {
  const { endpoint, apiKey, environment, sqlUser, sqlPassword } = settings
  const isLive = page === 'live'
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/site/blaze.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/site/css/base.css" />
        <link rel="stylesheet" href="/site/css/tour.css" />
        <link rel="stylesheet" href="/site/css/shop.css" />
        <link rel="stylesheet" href="/site/css/live.css" />
        <script
          async
          id="waymark-script"
          src="/waymark.iife.js"
          data-api-key="${apiKey}"
          data-endpoint="${endpoint}"
          data-environment="${environment}"
          data-config='{"batch":{"intervalMs":500}}'
        ></script>
        <script type="module" src="/site/shop/main.js"></script>
        <script
          type="module"
          id="live-script"
          src="/site/live/main.js"
          data-endpoint="${endpoint}"
          data-user="${sqlUser}"
          data-password="${sqlPassword}"
        ></script>
      </head>
      <body data-page="${page}">
        <a class="skip" href="#main">Skip to the content</a>
        ${tour()}
        <div class="shop">
          <header class="masthead">
            <a class="wordmark" href="/"><span class="blaze" aria-hidden="true"></span>Fernweg</a>
            <nav aria-label="Shop">
              ${navLink(path, '/maps', 'Maps')}
              <a href="/basket" ${path === '/basket' ? html`aria-current="page"` : ''}
                >Basket<span class="count" data-basket-count></span
              ></a>
              <a href="/join" data-when="signed-out" ${path === '/join' ? html`aria-current="page"` : ''}
                >Sign up</a
              >
              <span class="visitor" data-when="signed-in" hidden>
                <span data-visitor-name></span>
                <button type="button" class="plain" data-sign-out>Sign out</button>
              </span>
              <span class="to-live">${navLink(path, '/live', 'Live view')}</span>
            </nav>
          </header>
          <main id="main" tabindex="-1">${main}</main>
          <footer class="colophon">
            <p>
              Fernweg sells nothing: it is the demonstration shop of waymark. The landscapes are drawn by
              arithmetic.
            </p>
          </footer>
        </div>
        ${
          isLive
            ? ''
            : html`<aside class="beside" aria-label="Live view">${livePanel(settings)}</aside>
                <nav class="dock" aria-label="To the live view">
                  <a href="/live"
                    ><span>Live view</span> <span data-dock></span> <span aria-hidden="true">→</span></a
                  >
                </nav>`
        }
      </body>
    </html>`
}
