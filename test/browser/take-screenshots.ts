import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startDemoGateway } from './gateways/demo-gateway.ts'
import { findChromium } from './page/find-chromium.ts'
import { openPage, phone, startBrowser } from './page/open-browser.ts'
import { settle } from './page/page-steps.ts'
import { signInAndSkipSetup } from './page/signed-in.ts'

/*
 * Screenshots of every page in light and dark, on a desktop and on a phone, from a gateway with the demo's month: `npm
 * run screenshots` writes them to docs/screenshots/.
 */

const folder = join(import.meta.dirname, '..', '..', 'docs', 'screenshots')

interface Shot {
  readonly name: string
  readonly path: string
  readonly before?: (page: Page) => Promise<void>
}

const openSettings = (page: Page) => page.getByRole('tab', { name: 'Settings' }).click()
const talk = async (page: Page) => {
  await page
    .getByRole('combobox', { name: 'Message' })
    .or(page.getByLabel('Message'))
    .first()
    .fill('Hello, what can you do?')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('View in request log').waitFor()
}
const explain = async (page: Page) => {
  await page.getByRole('combobox', { name: 'Key' }).first().click()
  await page.getByRole('option', { name: /Website assistant/ }).click()
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  // On a phone the plan is below the form.
  await page.getByText('Order of attempts').scrollIntoViewIfNeeded()
}
const openFirstRow = (page: Page) =>
  page
    .getByRole('button', { name: /Show request/ })
    .first()
    .click()

const shots: readonly Shot[] = [
  { name: 'overview', path: '/?account=demo&period=30d' },
  { name: 'keys', path: '/keys?account=demo' },
  { name: 'key', path: '/keys?account=demo&key=demo_agents' },
  { name: 'key-settings', path: '/keys?account=demo&key=demo_agents', before: openSettings },
  { name: 'usage', path: '/usage?account=demo&period=30d' },
  {
    name: 'request',
    path: '/usage?account=demo&period=30d&key=demo_agents',
    before: openFirstRow,
  },
  { name: 'models', path: '/models?account=demo' },
  { name: 'playground', path: '/playground?account=demo', before: talk },
  { name: 'billing', path: '/billing?account=demo' },
  { name: 'account', path: '/account?account=demo' },
  { name: 'setup', path: '/setup' },
  { name: 'upstreams', path: '/operate/upstreams' },
  { name: 'prices', path: '/operate/models' },
  { name: 'groups', path: '/operate/groups' },
  { name: 'people', path: '/operate/accounts' },
  { name: 'token', path: '/operate/tokens?token=new' },
  { name: 'all-usage', path: '/operate/usage?period=30d' },
  { name: 'explain', path: '/operate/explain', before: explain },
  { name: 'audit', path: '/operate/audit' },
  { name: 'system', path: '/operate/system' },
]

const wanted = process.argv.slice(2)
const chromiumPath = findChromium()
if (chromiumPath === undefined) throw new Error('no Chromium found; name one in TEST_CHROMIUM')
mkdirSync(folder, { recursive: true })
const gateway = await startDemoGateway()
const browser = await startBrowser(chromiumPath)
try {
  const first = await openPage(browser, gateway.url)
  await first.page.goto('/console/sign-in')
  await first.page.getByRole('button', { name: 'Sign in' }).waitFor()
  await shoot(first.page, 'sign-in', 'light', 'desktop')
  await first.close()
  const storageState = await signInAndSkipSetup(gateway.signInUrl)
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const size of ['desktop', 'phone'] as const) {
      const { page, close } = await openPage(browser, gateway.url, {
        storageState,
        colorScheme,
        ...(size === 'phone' && { viewport: phone }),
      })
      await take(page, colorScheme, size)
      await close()
    }
  }
} finally {
  await browser.close()
  await gateway.stop()
}

async function take(page: Page, colorScheme: string, size: string): Promise<void> {
  for (const { name, path, before } of shots) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    await page.goto(`/console${path}`)
    await page.locator('h1').waitFor()
    await settle(page)
    await before?.(page)
    await settle(page)
    await shoot(page, name, colorScheme, size)
  }
}

async function shoot(page: Page, name: string, colorScheme: string, size: string): Promise<void> {
  await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`), scale: 'css' })
}
