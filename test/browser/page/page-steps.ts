import type { Page } from 'playwright-core'
import { eventually } from '../../support/eventually.ts'
import { isQuiet } from './open-browser.ts'

export async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
}

/** Skips the set-up of a gateway. */
export async function skipSetup(page: Page): Promise<void> {
  await page.goto('/console/setup')
  await heading(page, 'Set up your gateway')
  await page.getByRole('button', { name: 'Skip setup' }).click()
  await heading(page, 'Overview')
}

/** Follows a link of the navigation and waits for its page. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await heading(page, name)
}

export async function see(page: Page, text: string | RegExp, timeout?: number): Promise<void> {
  const found = page.getByText(text).filter({ visible: true }).first()
  await found.waitFor(timeout === undefined ? {} : { timeout })
}

export async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Chooses an entry of a select by its label. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).first().click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** How much wider the page is than the window. */
export function overflowPixels(page: Page): Promise<number> {
  const root = 'document.documentElement'
  return page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`)
}

/** Waits until no request is running and nothing moves. */
export async function settle(page: Page): Promise<void> {
  await eventually('the page is quiet', () => isQuiet(page))
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
  await page.locator('.mantine-Loader-root').first().waitFor({ state: 'detached' })
}

/** Ends the session of a browser while no page of the console is open that could notice the end and remember itself. */
export async function dropSession(page: Page): Promise<void> {
  await page.goto('/readyz')
  await page.context().clearCookies()
}
