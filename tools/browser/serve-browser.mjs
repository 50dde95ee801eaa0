/**
 * No sandbox, because tests may run as root in a container; nothing that calls home. No page lives long enough to earn
 * back what the optimizing compilers take, which is a fifth of the processor time.
 */
export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--js-flags=--no-maglev,--no-turbofan',
]

/**
 * One browser that all test processes use: each of them opens windows of its own that share nothing.
 * @param {string} executablePath
 * @returns {Promise<{ endpoint: string, stop: () => Promise<void> }>}
 */
export async function serveBrowser(executablePath) {
  // Loaded here: it takes most of a second, and most runs of the tests need no browser.
  const { chromium } = await import('playwright-core')
  const server = await chromium.launchServer({ executablePath, headless: true, args: browserFlags })
  return { endpoint: server.wsEndpoint(), stop: () => server.close() }
}
