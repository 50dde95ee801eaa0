import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { eventually } from '../../support/eventually.ts'
import { patience } from '../../support/patience.ts'
import { runSnippet } from '../../support/run-snippet.ts'
import { type DemoGateway, startDemoGateway } from '../gateways/demo-gateway.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, type StorageState, visit } from '../page/open-browser.ts'
import { choose, fillSignIn, heading, see } from '../page/page-steps.ts'
import { signInAndSkipSetup } from '../page/signed-in.ts'

const password = 'a password for the demo'

browserSuite('keys in Chromium, on a running gateway', (chromiumPath) => {
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

  const open = () => openPage(browser, gateway.url, { storageState: signedIn })

  async function ask(key: string): Promise<{ status: number; group: string | undefined }> {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await response.text()
    const id = response.headers.get('x-gateway-request-id') ?? ''
    if (response.status !== 200) return { status: response.status, group: undefined }
    const cookie = signedIn.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const detail = await eventually('the request is in the log', async () => {
      const answer = await fetch(`${gateway.url}/console/api/usage/${id}`, { headers: { cookie } })
      return answer.ok ? ((await answer.json()) as { group: string }) : undefined
    })
    return { status: response.status, group: detail.group }
  }

  async function makeKey(page: Page, name: string): Promise<string> {
    await visit(page, '/console/keys?account=demo&key=new')
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('button', { name: 'Create key' }).click()
    await see(page, 'Key created')
    return (await page.getByLabel('Key', { exact: true }).textContent()) ?? ''
  }

  async function saved(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('dialog').first().waitFor({ state: 'hidden' })
  }

  test('the list fits in a window of 1280 pixels without scrolling sideways', async () => {
    const viewport = { width: 1280, height: 800 }
    const { page, close } = await openPage(browser, gateway.url, {
      storageState: signedIn,
      viewport,
    })
    await visit(page, '/console/keys')
    await page.getByText('Trial of a partner').waitFor()
    await page.getByRole('columnheader', { name: /Created/ }).waitFor()
    const hidden = `[...document.querySelectorAll('.mantine-ScrollArea-viewport')].map((each) => each.scrollWidth - each.clientWidth)`
    expect(Math.max(...(await page.evaluate<number[]>(hidden)))).toBe(0)
    await close()
  })

  test('a form that cannot be saved moves to its first error, however far that is from the button', async () => {
    const { page, close, complaints } = await open()
    const focused = `document.activeElement?.closest('.mantine-InputWrapper-root')?.textContent`
    const movesTo = (words: string) =>
      eventually(words, async () => (await page.evaluate<string>(focused))?.includes(words))
    await visit(page, '/console/keys?account=demo&key=new')
    const create = page.getByRole('button', { name: 'Create key' })
    await page.getByLabel('Concurrent requests').fill('5')
    await create.click()
    await movesTo('Enter a name of 1 to')
    await page.getByLabel('Name', { exact: true }).fill('Form')
    await page.getByLabel('Budget time zone').fill('Mars/Base')
    await page.getByText('Enabled', { exact: true }).scrollIntoViewIfNeeded()
    await create.click()
    await movesTo('Enter a time zone such as')
    const box = await page.getByRole('combobox', { name: 'Budget time zone' }).boundingBox()
    expect(box && box.y > 0 && box.y < 700).toBe(true)
    expect(complaints).toEqual([])
    await close()
  })

  test('a new key’s curl snippet works, and its value is shown again only after confirming the identity', async () => {
    const { page, close, complaints } = await open()
    const value = await makeKey(page, 'A first key')
    expect(value).toMatch(/^sk-[0-9A-Za-z]{48}$/)
    const snippet = (await page.locator('.code-block').first().textContent()) ?? ''
    expect(snippet).toContain(`curl ${gateway.url}/v1/chat/completions`)
    expect(snippet).toContain(`Bearer ${value}`)
    expect((await ask(value)).status).toBe(200)

    await choose(page, 'Client', 'Claude Code')
    await see(page, `export ANTHROPIC_BASE_URL=${gateway.url}`)
    await choose(page, 'Client', 'Google · Python')
    await see(page, `base_url="${gateway.url}"`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await page.content()).not.toContain(value)

    await page.getByRole('button', { name: 'A first key' }).click()
    await page.getByText(value, { exact: true }).waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('the snippets for curl and the TypeScript libraries work unchanged', async () => {
    const { page, close } = await open()
    await makeKey(page, 'For snippets')
    const clients = [
      'curl · Chat Completions',
      'curl · Responses',
      'curl · Messages',
      'curl · Generate Content',
      'OpenAI · TypeScript',
      'Anthropic · TypeScript',
      'Google · TypeScript',
    ]
    const printed: string[] = []
    for (const client of clients) {
      await choose(page, 'Client', client)
      const blocks = await page.locator('.code-block').allTextContents()
      printed.push(blocks.find((block) => /^(curl|import) /.test(block)) ?? '')
    }
    expect(new Set(printed).size).toBe(clients.length)
    const said = await Promise.all(printed.map((text) => runSnippet(text)))
    for (const [index, answer] of said.entries()) {
      expect([clients[index], answer]).toEqual([
        clients[index],
        expect.stringContaining('You said'),
      ])
    }
    await close()
  })

  test('the order of the groups, set by dragging or by keyboard, decides which group serves', async () => {
    const { page, close, complaints } = await open()
    const value = await makeKey(page, 'In order')
    expect((await ask(value)).group).toBe('default')
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByText('Multiple groups', { exact: true }).click()
    const order = page.getByRole('list', { name: 'Group order' }).getByRole('listitem')
    await order.nth(1).waitFor()
    expect(await order.allTextContents()).toEqual([
      expect.stringContaining('default'),
      expect.stringContaining('premium'),
    ])

    await page.getByLabel('Move premium', { exact: true }).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Space')
    await eventually('premium is first', async () =>
      (await order.first().textContent())?.includes('premium') ? true : undefined,
    )
    await saved(page)
    await eventually('premium serves', async () =>
      (await ask(value)).group === 'premium' ? true : undefined,
    )

    await page.getByRole('button', { name: 'In order' }).click()
    await page.getByRole('tab', { name: 'Settings' }).click()
    await dragOnto(page, 'Move default', 'Move premium')
    await eventually('default is first', async () =>
      (await order.first().textContent())?.includes('default') ? true : undefined,
    )
    await saved(page)
    await eventually('default serves', async () =>
      (await ask(value)).group === 'default' ? true : undefined,
    )
    expect(complaints).toEqual([])
    await close()
  })

  test('a disabled key is rejected within a second, an enabled one works again', async () => {
    const { page, close } = await open()
    const value = await makeKey(page, 'Switched')
    expect((await ask(value)).status).toBe(200)
    await page.getByRole('button', { name: 'Disable' }).click()
    await see(page, 'Switched disabled.')
    const saidMs = performance.now()
    await eventually('the key is refused', async () =>
      (await ask(value)).status === 401 ? true : undefined,
    )
    expect(performance.now() - saidMs).toBeLessThan(patience(1_000))
    await page.getByRole('button', { name: 'Enable' }).click()
    await eventually('the key is served', async () =>
      (await ask(value)).status === 200 ? true : undefined,
    )
    await close()
  })

  test('saving an address list that locks the user out needs confirmation', async () => {
    const { page, close } = await open()
    const value = await makeKey(page, 'Fenced')
    await page.getByRole('tab', { name: 'Settings' }).click()
    const list = page.getByRole('combobox', { name: 'Allowed IP addresses and networks' })
    await page.getByRole('switch', { name: 'Restrict IP addresses' }).check()
    await see(page, 'The list is empty: this key would not work from any IP address.')
    await list.fill('not-an-ip')
    await page.keyboard.press('Enter')
    await see(page, 'not-an-ip: Enter an IP address or network')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await see(page, 'not-an-ip: Enter an IP address or network')
    expect((await ask(value)).status).toBe(200)
    await list.focus()
    await page.keyboard.press('Backspace')
    await list.fill('10.0.0.0/8')
    await page.keyboard.press('Enter')
    await see(page, 'Your IP address 127.0.0.1 is not in the list')
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save without your own IP address?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect((await ask(value)).status).toBe(200)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await dialog.getByRole('button', { name: 'Save anyway' }).click()
    await eventually('the address is refused', async () =>
      (await ask(value)).status === 403 ? true : undefined,
    )
    await close()
  })

  test('an owner chooses the priority of a key, and resets it', async () => {
    const { page, close } = await open()
    await makeKey(page, 'Urgent')
    const cookie = signedIn.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const priorityOf = async () => {
      const path = '/console/api/keys?account=demo&search=Urgent'
      const answer = await fetch(`${gateway.url}${path}`, { headers: { cookie } })
      const { keys } = (await answer.json()) as { keys: { priority: string | null }[] }
      return keys[0]?.priority
    }
    await page.getByRole('tab', { name: 'Settings' }).click()
    const field = page.getByRole('combobox', { name: 'Priority in the queue' })
    expect(await field.inputValue()).toBe('Same as its group')
    await choose(page, 'Priority in the queue', 'High')
    await saved(page)
    expect(await priorityOf()).toBe('high')
    await page
      .getByRole('row', { name: /Urgent/ })
      .getByText('Urgent')
      .first()
      .click()
    await page.getByRole('tab', { name: 'Settings' }).click()
    expect(await field.inputValue()).toBe('High')
    await choose(page, 'Priority in the queue', 'Same as its group')
    await saved(page)
    expect(await priorityOf()).toBeNull()
    await close()
  })

  test('an empty model list says that the key can call nothing, and the gateway enforces it', async () => {
    const { page, close } = await open()
    const value = await makeKey(page, 'Nothing')
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('switch', { name: 'Restrict models' }).check()
    await see(page, 'No model is selected: this key cannot call any model.')
    await saved(page)
    await see(page, 'None: this key cannot call any model')
    await eventually('every model is refused', async () =>
      (await ask(value)).status === 403 ? true : undefined,
    )
    await close()
  })

  test('after a rotation only the new value works; after a deletion the key is gone', async () => {
    const { page, close } = await open()
    const value = await makeKey(page, 'Turning')
    await page.getByRole('button', { name: 'Rotate' }).click()
    await page
      .getByRole('dialog', { name: /Rotate this key/ })
      .getByRole('button', { name: 'Rotate' })
      .click()
    await see(page, 'Key rotated.')
    const next = (await page.getByLabel('Key', { exact: true }).textContent()) ?? ''
    expect(next).not.toBe(value)
    await eventually('the old value is refused', async () =>
      (await ask(value)).status === 401 ? true : undefined,
    )
    expect((await ask(next)).status).toBe(200)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page
      .getByRole('dialog', { name: /Delete Turning/ })
      .getByRole('button', { name: 'Delete' })
      .click()
    await see(page, 'Turning deleted.')
    await eventually('the key is gone', async () =>
      (await ask(next)).status === 401 ? true : undefined,
    )
    await close()
  })

  test('the page and the new-key panel work by keyboard alone', async () => {
    const { page, close } = await open()
    await visit(page, '/console/?account=demo')
    await heading(page, 'Overview')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await tabTo(page, 'link', 'API keys')
    await page.keyboard.press('Enter')
    await heading(page, 'API keys')
    await tabTo(page, 'button', 'New key')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New key' }).waitFor()
    await eventually('the name has the focus', async () =>
      (await page.evaluate('document.activeElement.tagName')) === 'INPUT' ? true : undefined,
    )
    await page.keyboard.type('By keys')
    await page.keyboard.press('Enter')
    await see(page, 'Key created')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'By keys' }).waitFor()
    await close()
  })

  test('a user who signed in with a link sets a password and signs in with it in another browser', async () => {
    const { page, close } = await open()
    await visit(page, '/console/account')
    await page.getByRole('button', { name: 'Set password' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('New password').fill('short')
    await dialog.getByRole('button', { name: 'Save password' }).click()
    await dialog.getByText('Enter at least 12 characters.').waitFor()
    await dialog.getByLabel('New password').fill(password)
    await dialog.getByLabel('Confirm password').fill(password)
    await dialog.getByRole('button', { name: 'Save password' }).click()
    await see(page, 'Password saved.')
    await close()
    const elsewhere = await openPage(browser, gateway.url)
    await elsewhere.page.goto('/console/keys')
    await fillSignIn(elsewhere.page, 'admin@localhost', password)
    await heading(elsewhere.page, 'API keys')
    await elsewhere.close()
  })
})

async function dragOnto(page: Page, from: string, to: string): Promise<void> {
  const start = await page.getByLabel(from, { exact: true }).boundingBox()
  const end = await page.getByLabel(to, { exact: true }).boundingBox()
  if (!start || !end) throw new Error('nothing to drag')
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2)
  await page.mouse.down()
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2 - 12, { steps: 4 })
  await page.mouse.move(end.x + end.width / 2, end.y - 4, { steps: 12 })
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  )
  await page.mouse.up()
}

/** Presses Tab until a control with this role and name has the focus. */
async function tabTo(page: Page, role: 'link' | 'button', name: string): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true })
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab')
    if ((await page.locator(':focus').and(wanted).count()) > 0) return
  }
  throw new Error(`no ${role} ${name} within reach of the keyboard`)
}
