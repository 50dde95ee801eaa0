import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { patience } from '../../support/patience.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, visit } from '../page/open-browser.ts'
import { stateOf } from '../page/signed-in.ts'

/** A form that one person has open while another person changes the same resource. */
interface Form {
  readonly user: string
  readonly page: string
  /** From the page to the form. */
  readonly open?: (page: Page) => Promise<void>
  readonly field: (form: Locator) => Locator
  readonly typed: string
  /** The API of the resource, and what the other person changes there. */
  readonly path: string
  readonly change: object
  /** The row of the resource in the response, with both changes. */
  readonly read?: string
  readonly saved: object
}

const settings = (page: Page) => page.getByRole('tab', { name: 'Settings', exact: true }).click()
const labelled = (name: string) => (form: Locator) => form.getByLabel(name, { exact: true })

const forms: Readonly<Record<string, Form>> = {
  'a key': {
    user: 'u_owen',
    page: '/console/keys?key=key_a1',
    open: settings,
    field: labelled('Name'),
    typed: 'Renamed',
    path: '/keys/key_a1',
    change: { isEnabled: false, quotaNano: '2000000000', expiresAt: 4_000_000_000_123 },
    saved: {
      name: 'Renamed',
      isEnabled: false,
      quotaNano: '2000000000',
      expiresAt: 4_000_000_000_123,
    },
  },
  'an alert': {
    user: 'u_owen',
    page: '/console/alerts?alert=money',
    field: labelled('Name'),
    typed: 'Renamed',
    path: '/alerts/money',
    change: { isEnabled: false, keyExpiryDays: 30 },
    saved: { name: 'Renamed', isEnabled: false, keyExpiryDays: 30 },
  },
  'the limits of a member': {
    user: 'u_owen',
    page: '/console/account',
    open: (page) => page.getByRole('button', { name: 'Limits: ann@example.com' }).click(),
    field: labelled('Daily budget'),
    typed: '4',
    path: '/accounts/acme/members?user=u_ann',
    change: { monthlyNano: '9000000000', requestsPerMinute: 7 },
    read: '/accounts/acme',
    saved: {
      members: expect.arrayContaining([
        expect.objectContaining({
          userId: 'u_ann',
          dailyNano: '4000000000',
          monthlyNano: '9000000000',
          requestsPerMinute: 7,
        }),
      ]),
    },
  },
  'an account': {
    user: 'u_root',
    page: '/console/operate/accounts?open=acme',
    open: settings,
    field: labelled('Name'),
    typed: 'Renamed',
    path: '/operate/accounts/acme',
    change: { monthlyNano: '9000000000', requestsPerMinute: 7 },
    saved: { name: 'Renamed', monthlyNano: '9000000000', requestsPerMinute: 7 },
  },
  'a group': {
    user: 'u_root',
    page: '/console/operate/groups?group=default',
    field: labelled('Concurrent requests'),
    typed: '4',
    path: '/operate/groups/default',
    change: { factor: '2.5', requestsPerMinute: 7 },
    saved: { factor: '2.5', requestsPerMinute: 7, concurrentRequests: 4 },
  },
}

browserSuite('two people in Chromium', (chromiumPath) => {
  let fixture: BuiltFixture
  let browser: Browser
  beforeAll(async () => {
    fixture = await openBuiltFixture()
    browser = await launchBrowser(chromiumPath)
    const cookie = await fixture.signIn('u_root')
    const hook = { channel: 'slack', url: 'https://hooks.example.com/x', kinds: ['credit_low'] }
    const body = { accountId: 'acme', name: 'Money', ...hook }
    await fixture.send('PUT', '/console/api/alerts/money', { cookie, body })
  })
  afterAll(async () => {
    await browser?.close()
    await fixture?.close()
  })

  test.each(Object.entries(forms))(
    'a form does not undo what another person has changed meanwhile: %s',
    async (_name, { user, page: path, open, field, typed, path: api, change, read, saved }) => {
      const cookie = await fixture.signIn(user)
      const storageState = stateOf(await fixture.signIn(user))
      const { page, close } = await openPage(browser, fixture.url, { storageState })
      await visit(page, path)
      await open?.(page)
      const form = page.getByRole('dialog').first()
      await field(form).fill(typed)
      const other = await fixture.send('PATCH', `/console/api${api}`, { cookie, body: change })
      expect(other.status).toBe(200)
      await form.getByRole('button', { name: /^Save/ }).click()
      await form.waitFor({ state: 'hidden' })
      const row = await fixture.get(`/console/api${read ?? api}`, { cookie })
      expect(await row.json()).toMatchObject(saved)
      await close()
    },
    patience(60_000),
  )
})
