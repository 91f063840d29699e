import { killTree } from './processTree.mjs'

/**
 * A page of Playwright or Puppeteer, whose methods have the same names.
 * @param {import('playwright').Page | import('puppeteer-core').Page} page
 * @returns {import('./types').Tab}
 */
export const asTab = (page) => ({
  goto: async (next) => void (await page.goto(next)),
  reload: async () => void (await page.reload()),
  run: (expression) => page.evaluate(expression),
  // Both wait for a load that a page from the page cache does not have.
  back: async () => void (await page.evaluate('void history.back()').catch(() => {})),
  forward: async () => void (await page.evaluate('void history.forward()').catch(() => {})),
  close: () => page.close(),
})

/**
 * A browser that nobody drives.
 * @param {{ pid: number, killRenderers: () => Promise<number> }} started
 * @returns {import('./types').Alone}
 */
export const asAlone = ({ pid, killRenderers }) => ({
  pid,
  killRenderers,
  killBrowser: () => killTree(pid),
  stop: async () => void (await killTree(pid)),
})
