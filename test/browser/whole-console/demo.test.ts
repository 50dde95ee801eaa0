import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { type DemoGateway, startDemoGateway } from '../gateways/demo-gateway.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage } from '../page/open-browser.ts'
import { fillSignIn, heading, see, skipSetup } from '../page/page-steps.ts'

const password = 'a good long password'

browserSuite('the demo in Chromium', (chromiumPath) => {
  let gateway: DemoGateway
  let browser: Browser

  beforeAll(async () => {
    gateway = await startDemoGateway()
    browser = await launchBrowser(chromiumPath)
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  test('the sign-in link opens the overview with data, and every page can be reached from there', async () => {
    const { page, close, complaints } = await openPage(browser, gateway.url)
    await page.goto(gateway.signInUrl)
    await heading(page, 'Overview')
    expect(page.url()).toBe(`${gateway.url}/console/`)
    await see(page, 'Demo Robotics')
    await see(page, 'You are looking at demo data.')
    expect(await page.getByText('This gateway is new.').count()).toBe(0)

    await page.getByRole('link', { name: 'Start setup' }).click()
    await heading(page, 'Set up your gateway')
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await page.getByRole('button', { name: 'Save password' }).click()
    await see(page, 'Base URL')
    expect(complaints).toEqual([])
    await close()
  })

  test('the new password signs in and opens the overview; the set-up can be skipped', async () => {
    const { page, close } = await openPage(browser, gateway.url)
    await page.goto('/console/')
    await fillSignIn(page, 'admin@localhost', password)
    await heading(page, 'Overview')
    await skipSetup(page)
    expect(await page.getByRole('link', { name: 'Start setup' }).count()).toBe(0)
    await close()
  })

  test('without a mail server, a new alert starts with a webhook', async () => {
    const { page, close, complaints } = await openPage(browser, gateway.url)
    await page.goto('/console/')
    await fillSignIn(page, 'admin@localhost', password)
    await heading(page, 'Overview')
    await page.goto('/console/operate/alerts?alert=new')
    await page.getByLabel('URL', { exact: true }).waitFor()
    expect(await page.getByLabel('Recipients').count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })
})
