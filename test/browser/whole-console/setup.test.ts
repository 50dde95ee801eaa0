import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import {
  csrfHeader,
  csrfValue,
  type SessionAnswer,
  type UserWithLink,
} from '../../../src/console-api/contract.ts'
import { createDemoUpstream } from '../../../src/demo/upstream/demo-upstream.ts'
import { type DemoGateway, startDemoGateway } from '../gateways/demo-gateway.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage } from '../page/open-browser.ts'
import { choose, fillSignIn, heading, see } from '../page/page-steps.ts'

const password = 'a good long password'

browserSuite('the set-up in Chromium', (chromiumPath) => {
  let gateway: DemoGateway
  let browser: Browser
  let upstream: ReturnType<typeof Bun.serve>

  beforeAll(async () => {
    const answer = createDemoUpstream({})
    upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => answer(request) })
    gateway = await startDemoGateway([])
    browser = await launchBrowser(chromiumPath)
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.stop()
    await upstream?.stop(true)
  })

  test('from the one-time link to a key that works with curl', async () => {
    const { page, close, complaints } = await openPage(browser, gateway.url)
    await page.goto(gateway.signInUrl)
    await heading(page, 'Set up your gateway')
    expect(page.url()).toBe(`${gateway.url}/console/setup`)
    // A skipped step says so. A check mark would claim that the step is done.
    const step = (name: string | RegExp) =>
      page.locator('.mantine-Stepper-step').filter({ hasText: name })
    await page.getByRole('button', { name: 'Skip', exact: true }).click()
    await step(/^PasswordSkipped$/).waitFor()
    expect(await step('Password').locator('[data-icon=minus]').count()).toBe(1)
    await step('Password').click()
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await page.getByRole('button', { name: 'Save password' }).click()

    await choose(page, 'Vendor', 'OpenAI-compatible')
    // No server listens at this port. The page reports this, and the user can correct the URL.
    await page.getByLabel('Base URL').fill('http://127.0.0.1:1/v1')
    await page.getByRole('switch', { name: 'The upstream is in my own network' }).check()
    await page.getByLabel('API key').fill('sk-upstream')
    await page.getByLabel('Upstream name').fill('first')
    await page.getByRole('button', { name: 'Connect' }).click()
    const failed = page.getByRole('alert').filter({ hasText: 'first is saved' })
    await failed.getByText('The connection failed.').waitFor()
    expect(await page.getByText(/models? found/).count()).toBe(0)
    await failed.getByRole('button', { name: 'Edit' }).click()
    expect(await page.getByLabel('Base URL').inputValue()).toBe('http://127.0.0.1:1/v1')
    await page.getByLabel('Base URL').fill(`http://127.0.0.1:${upstream.port}/v1`)
    await page.getByLabel('API key').fill('sk-upstream')
    await page.getByRole('button', { name: 'Connect' }).click()
    await see(page, /Connected: \d+ models? found/)
    // An interrupted set-up continues at the same step, from the banner of any page and from the next link.
    await page.goto('/console/')
    await page.getByRole('link', { name: 'Start setup' }).click()
    await heading(page, 'Set up your gateway')
    await page.getByRole('combobox', { name: 'Model' }).waitFor()
    await page.goto(await mintLink(page))
    await heading(page, 'Set up your gateway')

    await page.getByRole('combobox', { name: 'Model' }).fill('demo-large')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Test' }).click()
    await see(page, /Response in/)
    await page.getByLabel('Input, US$ per million tokens').fill('1.50')
    await page.getByLabel('Output, US$ per million tokens').fill('6')
    await page.getByRole('button', { name: 'Add model' }).click()
    await page.getByRole('button', { name: 'Next' }).click()

    await page.getByLabel('Key name').fill('My first key')
    await page.getByRole('button', { name: 'Create key' }).click()
    await see(page, /My first key · sk-/)
    await page.getByRole('button', { name: 'Next' }).click()

    expect(await page.getByText('Skipped').count()).toBe(0)
    const snippet = (await page.locator('.code-block').first().textContent()) ?? ''
    const key = /Bearer (sk-\w+)/.exec(snippet)?.[1] ?? ''
    const body = /-d '(.*)'/.exec(snippet)?.[1] ?? ''
    const url = /curl (\S+)/.exec(snippet)?.[1] ?? ''
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Hello')

    await page.getByRole('button', { name: 'Done' }).click()
    await heading(page, 'Overview')
    expect(await page.getByRole('link', { name: 'Start setup' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  test('the new password signs in, a link opens the overview, and the set-up is not offered again', async () => {
    const { page, close } = await openPage(browser, gateway.url)
    await page.goto('/console/')
    await fillSignIn(page, 'admin@localhost', password)
    await heading(page, 'Overview')
    expect(await page.getByRole('link', { name: 'Start setup' }).count()).toBe(0)
    await page.goto(await mintLink(page))
    await heading(page, 'Overview')
    expect(await page.getByRole('link', { name: 'Start setup' }).count()).toBe(0)
    await close()
  })
})

/** Another link for the user of this page, made like on the page of users. */
async function mintLink(page: Page): Promise<string> {
  const session = await page.request.get('/console/api/session')
  const { user } = (await session.json()) as SessionAnswer
  const minted = await page.request.post(`/console/api/operate/users/${user?.id}/sign-in-link`, {
    headers: { [csrfHeader]: csrfValue },
    data: {},
  })
  const { signInUrl } = (await minted.json()) as UserWithLink
  return signInUrl
}
