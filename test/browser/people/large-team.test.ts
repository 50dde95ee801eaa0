import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { patience } from '../../support/patience.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, phone, visit } from '../page/open-browser.ts'
import { choose, heading, overflowPixels, see, settle } from '../page/page-steps.ts'
import { seriousIssues } from '../page/serious-issues.ts'
import { stateOf } from '../page/signed-in.ts'

const timeoutMs = patience(60_000)
const longEmail = 'maximiliane.von-und-zu-hohenlohe-langenburg@platform-engineering.example.com'

/** The console of an account with fifty members and many keys. */
browserSuite('a team of fifty in Chromium', (chromiumPath) => {
  let fixture: BuiltFixture
  let browser: Browser
  let owen: string

  beforeAll(async () => {
    fixture = await openBuiltFixture()
    browser = await launchBrowser(chromiumPath)
    owen = await fixture.signIn('u_owen')
    const people = Array.from({ length: 50 }, (_, at) => ({
      id: `u_${at}`,
      email: at === 7 ? longEmail : `person-${at}@example.com`,
    }))
    await fixture.engine.db
      .insertInto('console_user')
      .values(people.map((one) => ({ ...one, password_hash: null, role: 'member', created_at: 1 })))
      .execute()
    await fixture.engine.db
      .insertInto('membership')
      .values(people.map(({ id }) => ({ user_id: id, account_id: 'acme', role: 'member' })))
      .execute()
    await post('/keys', { accountId: 'acme', name: 'Batch of person 3', ownerId: 'u_3' })
    await post('/keys', { accountId: 'acme', name: 'Laptop of Owen', ownerId: 'u_owen' })
    const limits = { requestsPerMinute: 90, dailyNano: '5000000000', monthlyNano: '9000000000' }
    await send('PATCH', '/accounts/acme/members?user=u_ann', limits)
  })
  afterAll(async () => {
    await browser?.close()
    await fixture?.close()
  })

  async function send(method: string, path: string, body: object): Promise<void> {
    const response = await fixture.send(method, `/console/api${path}`, { cookie: owen, body })
    expect([path, response.status]).toEqual([path, 200])
  }
  const post = (path: string, body: object) => send('POST', path, body)
  const openAs = async (user: string, options: Parameters<typeof openPage>[2] = {}) =>
    openPage(browser, fixture.url, {
      ...options,
      storageState: stateOf(await fixture.signIn(user)),
    })

  test(
    'the link of a new invitation, which is shown once, is in view',
    async () => {
      const { page, close, complaints } = await openAs('u_owen')
      await visit(page, '/console/account')
      await page.getByRole('textbox', { name: 'Email' }).fill('zoe@example.com')
      await page.getByRole('button', { name: 'Add member' }).click()
      const link = page.getByText(/invitation#/)
      await link.waitFor()
      await settle(page)
      const box = await link.boundingBox()
      const height = page.viewportSize()?.height ?? 0
      expect([box && box.y >= 0, box && box.y + box.height <= height]).toEqual([true, true])
      expect(complaints).toEqual([])
      await close()
    },
    timeoutMs,
  )

  test(
    'an owner finds a member by a part of the address, and sees all limits of the member',
    async () => {
      const { page, close, complaints } = await openAs('u_owen')
      await visit(page, '/console/account')
      const limits = page.getByRole('button', { name: /^Limits:/ })
      await limits.first().waitFor()
      expect(await limits.count()).toBeLessThan(30)
      await page.getByRole('textbox', { name: 'Search members' }).fill('HOHENLOHE')
      await see(page, longEmail)
      expect(await limits.count()).toBe(1)
      await page.getByRole('textbox', { name: 'Search members' }).fill('ann@')
      await see(page, /90 requests\/min/)
      await fixture.signIn('u_3')
      await page.reload()
      await page.getByRole('textbox', { name: 'Search members' }).fill('person-3@')
      await page.getByRole('link', { name: 'Keys: person-3@example.com' }).click()
      await see(page, 'Batch of person 3')
      expect(await page.getByRole('button', { name: 'Laptop of Owen' }).count()).toBe(0)
      await page.goBack()
      await page.getByRole('textbox', { name: 'Search members' }).fill('nobody-of-this-name')
      await see(page, 'No results')
      await page.getByRole('textbox', { name: 'Search members' }).fill('')
      await page.getByRole('button', { name: /^Show all/ }).click()
      await see(page, 'person-49@example.com')
      expect(await seriousIssues(page)).toEqual([])
      expect(complaints).toEqual([])
      await close()
    },
    timeoutMs,
  )

  test(
    'the key list shows the keys of one owner; a reload and the way back keep filter and order',
    async () => {
      const { page, close, complaints } = await openAs('u_owen')
      await visit(page, '/console/keys')
      await choose(page, 'Owner', 'My keys')
      await page.getByRole('button', { name: 'Batch of person 3' }).waitFor({ state: 'detached' })
      await see(page, 'Laptop of Owen')
      await choose(page, 'Owner', 'person-3@example.com')
      await see(page, 'Batch of person 3')
      await page.getByRole('button', { name: 'Laptop of Owen' }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: /^Name/ }).click()
      await page.getByRole('button', { name: 'Batch of person 3' }).click()
      await page.getByRole('dialog', { name: 'Batch of person 3' }).waitFor()
      await page.goBack()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await page.reload()
      await see(page, 'Batch of person 3')
      expect(await page.getByRole('button', { name: 'Laptop of Owen' }).count()).toBe(0)
      await page.getByRole('button', { name: /^Name.*ascending/i }).waitFor()
      await choose(page, 'Owner', 'Service keys')
      await page.getByRole('button', { name: 'Batch of person 3' }).waitFor({ state: 'detached' })
      await page.getByLabel('Search by name').fill('no such key')
      await see(page, 'No results')
      await page.reload()
      await see(page, 'No results')
      expect(await seriousIssues(page)).toEqual([])
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await see(page, 'Laptop of Owen')
      expect(complaints).toEqual([])
      await close()
    },
    timeoutMs,
  )

  test(
    'on a phone, the key list names the owner of each key; a member has no filter by owner',
    async () => {
      const { page, close } = await openAs('u_owen', { viewport: phone })
      await visit(page, '/console/keys')
      await see(page, 'Batch of person 3')
      await see(page, 'person-3')
      expect(await overflowPixels(page)).toBe(0)
      await close()
      const ann = await openAs('u_ann')
      await visit(ann.page, '/console/keys')
      await heading(ann.page, 'API keys')
      await settle(ann.page)
      expect(await ann.page.getByRole('combobox', { name: 'Owner' }).count()).toBe(0)
      await ann.close()
    },
    timeoutMs,
  )

  test(
    'the overview shows a member their own budgets, with the time zone of the reset',
    async () => {
      const { page, close, complaints } = await openAs('u_ann')
      await visit(page, '/console/')
      await heading(page, 'Overview')
      await see(page, 'Your budgets')
      await see(
        page,
        /Today: \$0\.00 of \$5\.00, \$5\.00 left · resets .+ (UTC|GMT[+-]\d+|[A-Z]{3,4})$/,
      )
      expect(await seriousIssues(page)).toEqual([])
      expect(complaints).toEqual([])
      await close()
      const vera = await openAs('u_vera')
      await visit(vera.page, '/console/')
      await heading(vera.page, 'Overview')
      await settle(vera.page)
      expect(await vera.page.content()).not.toContain('left · resets')
      await vera.close()
    },
    timeoutMs,
  )

  test(
    'the time zone of a budget is found by a part of its name',
    async () => {
      const { page, close } = await openAs('u_owen')
      await visit(page, '/console/account')
      await page.getByRole('textbox', { name: 'Search members' }).fill('person-11@')
      await page.getByRole('button', { name: 'Limits: person-11@example.com' }).click()
      const dialog = page.getByRole('dialog', { name: 'Limits of person-11@example.com' })
      await dialog.getByLabel('Daily budget').fill('3')
      const zone = dialog.getByRole('combobox', { name: 'Budget time zone' })
      await zone.fill('new y')
      await page.getByRole('option', { name: 'America/New_York' }).click()
      expect(await zone.inputValue()).toBe('America/New_York')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await see(page, 'Limits of person-11@example.com saved.')
      await close()
    },
    timeoutMs,
  )

  test(
    'a double click on a button that asks first leaves the question open',
    async () => {
      const { page, close } = await openAs('u_owen')
      await visit(page, '/console/account')
      await page.getByRole('textbox', { name: 'Search members' }).fill('person-12@')
      await page.getByRole('button', { name: 'Remove' }).dblclick()
      const question = page.getByRole('dialog', { name: 'Remove person-12@example.com?' })
      await settle(page)
      expect(await question.isVisible()).toBe(true)
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'hidden' })
      await see(page, 'person-12@example.com')
      await close()
    },
    timeoutMs,
  )

  test(
    'an alert by email says that the gateway has no mail server',
    async () => {
      const { page, close } = await openAs('u_owen')
      await visit(page, '/console/alerts?alert=new')
      const panel = page.getByRole('dialog', { name: 'New alert' })
      await panel.getByText('Email', { exact: true }).click()
      await panel.getByText('No mail server is configured').waitFor()
      expect(await seriousIssues(page)).toEqual([])
      await close()
    },
    timeoutMs,
  )
})
