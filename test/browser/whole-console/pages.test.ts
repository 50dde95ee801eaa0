import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { type DemoGateway, startDemoGateway } from '../gateways/demo-gateway.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, type StorageState, visit } from '../page/open-browser.ts'
import { choose, fillSignIn, heading, see, settle } from '../page/page-steps.ts'
import { signInAndSkipSetup } from '../page/signed-in.ts'
import { totpCode } from '../page/totp-code.ts'

const password = 'a password for the demo'
/** One pixel. */
const dotPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

browserSuite('playground, models and account in Chromium', (chromiumPath) => {
  let gateway: DemoGateway
  let browser: Browser
  let signedIn: StorageState

  beforeAll(async () => {
    gateway = await startDemoGateway()
    browser = await launchBrowser(chromiumPath)
    signedIn = await signInAndSkipSetup(gateway.signInUrl)
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  async function openAt(path: string) {
    const opened = await openPage(browser, gateway.url, { storageState: signedIn })
    await visit(opened.page, `/console${path}`)
    return opened
  }

  test('a conversation streams in each protocol, is charged, and can be shown as code with its endpoint', async () => {
    const { page, close, complaints } = await openAt('/playground?account=demo&key=demo_phone')
    const endpoints = [
      ['Chat Completions', '/v1/chat/completions'],
      ['Responses', '/v1/responses'],
      ['Messages', '/v1/messages'],
      ['Generate Content', ':streamGenerateContent?alt=sse'],
    ] as const
    for (const [name, path] of endpoints) {
      await choose(page, 'Endpoint', name)
      await page.getByLabel('Message', { exact: true }).fill(`Hello by ${name}`)
      await page.keyboard.press('Enter')
      await page.getByText(`You said: "Hello by ${name}"`).waitFor()
      await page.getByText('View in request log').waitFor()
      await page.getByRole('cell', { name: /^\$0\.0/ }).waitFor()
      await page.getByRole('tab', { name: 'Code' }).click()
      await see(page, `${gateway.url}`)
      expect(await page.locator('.code-block').first().textContent()).toContain(path)
      await page.getByRole('tab', { name: 'Events' }).click()
      await page.locator('.code-block').first().waitFor()
      await page.getByRole('tab', { name: 'Metrics' }).click()
      await page.getByRole('button', { name: 'Clear chat' }).click()
    }
    expect(complaints).toEqual([])
    await close()
  })

  test.each([
    ['/billing?account=demo', 'Billing'],
    ['/account?account=demo', 'Account'],
    ['/alerts?account=demo', 'Account'],
    ['/tokens?account=demo', 'Account'],
  ])('the navigation marks the page of %s', async (path, marked) => {
    const { page, close, complaints } = await openAt(path)
    const entries = page.getByRole('navigation').locator('[aria-current]')
    await entries.first().waitFor()
    expect(await entries.allTextContents()).toEqual([marked])
    expect(complaints).toEqual([])
    await close()
  })

  test('the list of a select is not in the page before it is used, and keys open it and choose', async () => {
    const { page, close, complaints } = await openAt('/playground?account=demo&key=demo_phone')
    const endpoint = page.getByRole('combobox', { name: 'Endpoint' })
    await endpoint.waitFor()
    const options = page.getByRole('option', { includeHidden: true })
    expect(await options.count()).toBe(0)
    const marked = async () => {
      const id = await endpoint.getAttribute('aria-activedescendant')
      return id === null ? undefined : page.locator(`[id="${id}"]`).textContent()
    }
    for (const [opening, first] of [
      ['ArrowDown', 'Chat Completions'],
      ['ArrowUp', 'Responses'],
    ] as const) {
      await endpoint.press(opening)
      expect(await endpoint.getAttribute('aria-expanded')).toBe('true')
      const list = await endpoint.getAttribute('aria-controls')
      await page.locator(`[id="${list}"]`).waitFor()
      expect(await marked()).toBe(first)
      await endpoint.press('ArrowDown')
      await endpoint.press('Enter')
      await options.first().waitFor({ state: 'hidden' })
    }
    expect(await endpoint.inputValue()).toBe('Messages')
    await endpoint.press('Space')
    await page.getByRole('option', { name: 'Messages' }).waitFor()
    await endpoint.press('Escape')
    await options.first().waitFor({ state: 'hidden' })
    expect(await endpoint.inputValue()).toBe('Messages')
    expect(complaints).toEqual([])
    await close()
  })

  const endpointNames = ['Chat Completions', 'Responses', 'Messages', 'Generate Content']

  test('an image is sent in each protocol, and can be removed before sending', async () => {
    const { page, close, complaints } = await openAt('/playground?account=demo&key=demo_phone')
    const addImage = async () => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Add image' }).click(),
      ])
      await chooser.setFiles({ name: 'dot.png', mimeType: 'image/png', buffer: dotPng })
      await page.getByRole('button', { name: 'Remove image' }).waitFor()
    }
    for (const name of endpointNames) {
      await choose(page, 'Endpoint', name)
      await addImage()
      await page.getByRole('button', { name: 'Remove image' }).click()
      await addImage()
      await page.getByLabel('Message', { exact: true }).fill('What is this?')
      const [request] = await Promise.all([
        page.waitForRequest((each) => each.url().includes('/playground/demo_phone/')),
        page.keyboard.press('Enter'),
      ])
      expect(request.postData()).toContain(dotPng.toString('base64'))
      await page.getByText('View in request log').waitFor()
      await page.getByText(/You said: "(\[\w+\] )?What is this\?( \[\w+\])?"/).waitFor()
      await page.getByRole('button', { name: 'Clear chat' }).click()
    }
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Add image' }).click(),
    ])
    const large = Buffer.alloc(4 * 1024 * 1024 + 1)
    await chooser.setFiles({ name: 'large.png', mimeType: 'image/png', buffer: large })
    await see(page, 'An image can be at most 4 MB.')
    expect(complaints).toEqual([])
    await close()
  })

  test.each(endpointNames)(
    '%s calls a tool, the user answers, and the result is sent back',
    async (name) => {
      const { page, close, complaints } = await openAt('/playground?account=demo&key=demo_phone')
      await choose(page, 'Endpoint', name)
      await page.getByRole('button', { name: 'Insert example' }).click()
      await page.getByLabel('Message', { exact: true }).fill('Please call get_weather')
      await page.getByRole('button', { name: 'Send' }).click()
      await see(page, 'calls get_weather')
      await page.getByLabel('Enter the tool result').fill('Sunny')
      await page.getByRole('button', { name: 'Send' }).first().click()
      await see(page, 'Result of get_weather')
      await page.getByText('View in request log').waitFor()
      expect(complaints).toEqual([])
      await close()
    },
  )

  test('a model is found, its id is copied exactly, and its prices are shown for each group', async () => {
    const { page, close, complaints } = await openAt('/models?account=demo')
    await page.getByLabel('Search models').fill('large')
    await page.getByRole('button', { name: 'demo-large' }).click()
    const panel = page.getByRole('dialog', { name: 'Demo large' })
    await panel.getByRole('columnheader', { name: /premium/ }).waitFor()
    await panel.getByText('$3.125').first().waitFor()
    await panel.getByRole('button', { name: 'Copy' }).first().click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('demo-large')
    expect(complaints).toEqual([])
    await close()
  })

  test('a member is added, gets a link that signs them in, becomes a viewer and is removed', async () => {
    const { page, close } = await openAt('/account?account=demo')
    await page.getByLabel('Email', { exact: true }).fill('not an email')
    await page.getByRole('button', { name: 'Add member' }).click()
    await see(page, 'Enter a valid email address.')
    await page.getByLabel('Email', { exact: true }).fill('new@example.com')
    await page.getByRole('button', { name: 'Add member' }).click()
    await see(page, 'new@example.com is now a member.')
    const link = (await page.locator('.code-block').first().textContent()) ?? ''
    const guest = await openPage(browser, gateway.url)
    await guest.page.goto(link)
    await heading(guest.page, 'Set a password')
    await guest.page.getByRole('link', { name: 'Not now' }).click()
    await heading(guest.page, 'Overview')
    expect(await guest.page.getByRole('link', { name: 'Upstreams' }).count()).toBe(0)
    await choose(page, 'Role: new@example.com', 'Viewer')
    await settle(page)
    await guest.page.goto('/console/keys')
    // A viewer sees no key of the account.
    await see(guest.page, /^No keys$/)
    expect(await guest.page.getByText('Coding agents').count()).toBe(0)
    await guest.page.getByRole('button', { name: 'New key' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await see(page, 'new@example.com is no longer a member.')
    await guest.page.goto('/console/keys')
    await see(guest.page, /^No keys$/)
    await guest.close()
    await close()
  })

  test('an authenticator app is set up, required at the next sign-in, and removed', async () => {
    const { page, close } = await openAt('/account')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await page.getByRole('button', { name: 'Save password' }).click()
    await see(page, 'Password saved.')
    await page.getByRole('button', { name: 'Set up', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Authenticator app' })
    await dialog.getByAltText('QR code for the authenticator app').waitFor()
    const secret = (await dialog.locator('code').first().textContent()) ?? ''
    const enter = async (code: string) => {
      await dialog.getByLabel('Code').fill(code)
      await dialog.getByRole('button', { name: 'Enable' }).click()
    }
    // The user has no recovery codes yet, so no message mentions them.
    await enter('abcd-efgh-ijkl-mnop')
    await dialog.getByText('Enter the six digits from the app.', { exact: true }).waitFor()
    await enter(totpCode(secret, 0))
    await dialog.getByText('The code does not match.').waitFor()
    expect(await dialog.getByText(/recovery/).count()).toBe(0)
    await enter(totpCode(secret, Date.now()))
    await dialog.getByText('Save these recovery codes').waitFor()
    const codes = ((await dialog.locator('.code-block').textContent()) ?? '').split('\n')
    await dialog.getByRole('button', { name: 'I saved the codes' }).click()

    const other = await openPage(browser, gateway.url)
    await other.page.goto('/console/sign-in')
    await fillSignIn(other.page, 'admin@localhost', password)
    await other.page.getByLabel('Code from your authenticator app').fill(codes[0] ?? '')
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await heading(other.page, 'Overview')

    await page.reload()
    await page.getByRole('button', { name: 'Sign out of all other sessions' }).click()
    await page
      .getByRole('dialog', { name: 'Sign out of all other sessions?' })
      .getByRole('button', { name: 'Sign out of all other sessions' })
      .click()
    await see(page, 'All other sessions signed out.')
    await other.page.goto('/console/keys')
    await heading(other.page, 'Sign in')
    await other.close()

    await page.getByRole('button', { name: 'Remove', exact: true }).first().click()
    await dialog.getByLabel('Code').fill(codes[1] ?? '')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await see(page, 'Authenticator app removed.')
    await close()
  })
})
