import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { readAssets } from '../../src/console-api/read-assets.ts'
import { annPassword, secretValues } from '../scenario/console-seed.ts'
import { type ConsoleStage, openConsoleStage } from '../scenario/console-stage.ts'
import { missingPart } from '../support/missing-part.ts'
import { findChromium } from './find-chromium.ts'
import { launchBrowser, openPage, phone } from './open-browser.ts'

const builtFolder = join(import.meta.dirname, '..', '..', 'console', 'dist')
const screenshotFolder = join(tmpdir(), 'tollgate-screenshots')
const chromiumPath = findChromium()
const firstLoadKilobytesMax = 350

if (chromiumPath === undefined) {
  missingPart('browser tests', 'no Chromium found; install it or name one in TEST_CHROMIUM')
} else {
  describe('the console in Chromium', () => tests(chromiumPath))
}

function tests(path: string): void {
  let stage: ConsoleStage
  let browser: Browser

  beforeAll(async () => {
    if (!existsSync(join(builtFolder, 'index.html'))) {
      throw new Error('The console is not built: npm run build:console')
    }
    mkdirSync(screenshotFolder, { recursive: true })
    stage = await openConsoleStage({ assets: readAssets(builtFolder) })
    browser = await launchBrowser(path)
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.close()
  })

  const open = (options?: Parameters<typeof openPage>[2]) => openPage(browser, stage.url, options)
  const signInLink = async (userId: string) => `/console/sign-in#${await stage.mintLink(userId)}`

  test('from the link to the overview, the keys, the log and the story of a request', async () => {
    const { page, context, complaints } = await open()
    await page.goto(await signInLink('u_ann'))
    await heading(page, 'Overview')
    expect(page.url()).toBe(`${stage.url}/console/`)
    await see(page, 'Available credit')
    expect(await loadedKilobytes(page)).toBeLessThan(firstLoadKilobytesMax)
    await see(page, '$0.012345678')
    await shoot(page, 'overview-light')

    await goTo(page, 'Keys')
    await heading(page, 'Keys')
    for (const text of ['Laptop', 'Used up', 'Expired', 'Disabled', 'of $5.00'])
      await see(page, text)
    expect(await page.content()).not.toContain(secretValues.key)
    await shoot(page, 'keys-light')

    await goTo(page, 'Usage')
    await heading(page, 'Usage')
    await page.getByRole('row').nth(50).waitFor()
    await shoot(page, 'usage-light')
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByRole('row').nth(100).waitFor()

    await page.getByRole('row').nth(1).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByText('overloaded').waitFor()
    expect(page.url()).toContain(`request=${stage.seeded.acmeRequestIds[0]}`)
    for (const text of ['Cache read', 'Total, rounded up once', 'Group factor × 1.5', 'up-0']) {
      await drawer.getByText(text).first().waitFor()
    }
    await shoot(page, 'drawer-light')
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })

    await goTo(page, 'Keys')
    await page.getByRole('link', { name: 'Usage of Trial' }).click()
    await see(page, 'No requests yet')
    await page.getByRole('button', { name: 'Show all keys' }).click()
    await page.getByRole('row').nth(50).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  test('in Chinese and in the dark, kept over a reload', async () => {
    const { page, context, complaints } = await open()
    await page.goto(await signInLink('u_root'))
    await heading(page, 'Overview')
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitem', { name: '中文' }).click()
    await heading(page, '概览')
    await page.getByRole('button', { name: '外观' }).click()
    await page.getByRole('menuitem', { name: '深色' }).click()
    await page.reload()
    await heading(page, '概览')
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark')
    await shoot(page, 'overview-dark-zh')
    for (const [link, name] of [
      ['密钥', 'keys'],
      ['用量', 'usage'],
    ] as const) {
      await goTo(page, link)
      await heading(page, link)
      await page.getByRole('row').nth(3).waitFor()
      await shoot(page, `${name}-dark-zh`)
    }
    await page.getByRole('row').nth(1).click()
    await page.getByRole('dialog').getByText('overloaded').waitFor()
    await shoot(page, 'drawer-dark-zh')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('on a phone nothing is wider than the screen', async () => {
    const { page, context, complaints } = await open({ viewport: phone })
    await page.goto(await signInLink('u_ann'))
    await heading(page, 'Overview')
    for (const [name, label] of [
      ['overview', 'Overview'],
      ['keys', 'Keys'],
      ['usage', 'Usage'],
    ] as const) {
      await page.getByRole('button', { name: 'Open the menu' }).click()
      await goTo(page, label)
      await heading(page, label)
      await page.getByRole('row').nth(3).waitFor()
      expect(await overflowPixels(page)).toBe(0)
      await shoot(page, `${name}-phone`)
    }
    await page.getByRole('row').nth(1).click()
    await page.getByRole('dialog').getByText('overloaded').waitFor()
    expect(await overflowPixels(page)).toBe(0)
    await shoot(page, 'drawer-phone')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('an empty account says what to do next', async () => {
    const { page, context, complaints } = await open()
    await page.goto(await signInLink('u_new'))
    await see(page, 'No requests yet')
    await see(page, `curl ${stage.url}/v1/chat/completions`)
    await shoot(page, 'empty-overview-light')
    await goTo(page, 'Keys')
    await see(page, 'No keys yet')
    await shoot(page, 'empty-keys-light')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a used link says so, and the password signs in, out, and in again', async () => {
    const { page, context, complaints } = await open()
    const link = await signInLink('u_ann')
    await stage.post('/console/api/sign-in-link', { body: { token: link.split('#')[1] } })
    await page.goto(link)
    await see(page, 'This link does not work any more')
    await see(page, 'tollgate sign-in-link')
    await shoot(page, 'sign-in-spent-link')
    await fillSignIn(page, 'ann@example.com', 'not the password')
    await see(page, 'The email or the password is not right.')
    await shoot(page, 'sign-in-refused')
    await fillSignIn(page, 'ann@example.com', annPassword)
    await heading(page, 'Overview')

    await page.getByRole('button', { name: 'Your user' }).click()
    await page.getByRole('menuitem', { name: 'Set password' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('New password').fill('short')
    await dialog.getByRole('button', { name: 'Save password' }).click()
    await dialog.getByText('At least 12 characters, please.').waitFor()
    await shoot(page, 'password-light')
    await dialog.getByLabel('New password').fill('quite another password')
    await dialog.getByLabel('The same again').fill('quite another password')
    await dialog.getByRole('button', { name: 'Save password' }).click()
    await see(page, 'Your password is set.')

    await page.getByRole('button', { name: 'Your user' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading(page, 'Sign in')
    await page.goto('/console/keys')
    await heading(page, 'Sign in')
    await fillSignIn(page, 'ann@example.com', 'quite another password')
    await heading(page, 'Overview')
    // The browser itself reports the two refusals that this test provokes, and nothing else.
    expect(complaints.map((each) => /status of (\d+)/.exec(each)?.[1] ?? each)).toEqual([
      '410',
      '401',
    ])
    await context.close()
  })

  test('an administrator sees all accounts and can look at one', async () => {
    const { page, context, complaints } = await open({ colorScheme: 'dark' })
    await page.goto(await signInLink('u_root'))
    await see(page, 'Globex')
    await shoot(page, 'overview-admin-dark')
    await page.getByRole('combobox', { name: 'Account' }).first().click()
    await page.getByRole('option', { name: 'Globex' }).click()
    await goTo(page, 'Keys')
    await see(page, 'Globex server')
    expect(page.url()).toContain('account=globex')
    expect(await page.getByText('Laptop').count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })
}

async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
}

async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
}

async function see(page: Page, text: string): Promise<void> {
  await page.getByText(text).first().waitFor()
}

async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** What the browser has fetched so far, compressed as it came. */
function loadedKilobytes(page: Page): Promise<number> {
  return page.evaluate(() => {
    const entries = performance.getEntriesByType('resource')
    const bytes = entries.map((entry) =>
      entry instanceof PerformanceResourceTiming ? entry.encodedBodySize : 0,
    )
    return bytes.reduce((sum, each) => sum + each, 0) / 1024
  })
}

function overflowPixels(page: Page): Promise<number> {
  const root = 'document.documentElement'
  return page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`)
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(screenshotFolder, `${name}.png`) })
}
