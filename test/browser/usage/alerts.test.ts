import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { pageRows } from '../../../src/console-api/contract/paging.ts'
import type { GatewayPorts } from '../../../src/console-api/ports/gateway-ports.ts'
import { DeliveryFailure } from '../../../src/outbox/message.ts'
import { claimDue } from '../../../src/outbox/outbox-store.ts'
import { eventually } from '../../support/eventually.ts'
import { patience } from '../../support/patience.ts'
import { addFailedMessage } from '../../support/store/failed-message.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { englishTexts } from '../page/english-texts.ts'
import { launchBrowser, openPage, visit } from '../page/open-browser.ts'
import { fillSignIn, goTo, heading, see } from '../page/page-steps.ts'
import { seriousIssues } from '../page/serious-issues.ts'
import { stateOf } from '../page/signed-in.ts'

const secret = 'a-secret-of-twenty-characters'
const password = 'a password of my own'

browserSuite('alerts and email in Chromium', (chromiumPath) => {
  let fixture: BuiltFixture
  let browser: Browser
  const mails: string[] = []
  const hooks: string[] = []

  beforeAll(async () => {
    const gateway: Partial<GatewayPorts> = {
      mail: {
        publicUrl: 'https://gw.example.com',
        send: async (target) => {
          mails.push(target)
        },
      },
      postWebhook: async ({ url }) => {
        hooks.push(url)
        if (hooks.length > 1) throw new DeliveryFailure('hooks.example.com answered HTTP 500.')
      },
    }
    fixture = await openBuiltFixture({ gateway })
    browser = await launchBrowser(chromiumPath)
  })
  afterEach(async () => {
    await fixture.engine.db.deleteFrom('alert').execute()
    await fixture.engine.db.deleteFrom('outbox').execute()
  })
  afterAll(async () => {
    await browser?.close()
    await fixture?.close()
  })

  const openAs = async (user: string, locale = 'en-US') =>
    openPage(browser, fixture.url, { storageState: stateOf(await fixture.signIn(user)), locale })
  const panel = (page: Page) => page.getByRole('dialog').first()

  test(
    'an owner makes an alert with a webhook, tests it, changes it and deletes it',
    async () => {
      const { page, close, complaints } = await openAs('u_owen')
      await visit(page, '/console/account')
      await page.getByRole('link', { name: 'Manage alerts' }).click()
      await heading(page, 'Alerts')
      await see(page, 'No alerts yet')
      await page.getByRole('button', { name: 'New alert' }).click()
      const form = panel(page)
      await form.getByText('Webhook', { exact: true }).click()
      await form.getByRole('button', { name: 'Create alert' }).click()
      await see(page, 'Enter an http:// or https:// URL without user or fragment.')
      await form.getByLabel('Name', { exact: true }).fill('Money')
      await form.getByLabel('URL', { exact: true }).fill('https://hooks.example.com/x')
      await form.getByLabel('Signing secret', { exact: true }).fill(secret)
      expect(await form.getByLabel('Upstream down').count()).toBe(0)
      expect(await seriousIssues(page)).toEqual([])
      await form.getByRole('button', { name: 'Create alert' }).click()
      await see(page, 'Money saved.')

      await page.getByRole('button', { name: 'Open Money' }).click()
      await panel(page).getByRole('button', { name: 'Send test message' }).click()
      await see(page, 'The test message was delivered.')
      await panel(page).getByRole('button', { name: 'Send test message' }).click()
      await see(page, /was not delivered: hooks.example.com responded with HTTP 500/)
      expect(await page.content()).not.toContain(secret)
      // The gateway would test the saved URL, not the one that the form shows.
      const test = panel(page).getByRole('button', { name: 'Send test message' })
      await panel(page).getByLabel('URL', { exact: true }).fill('https://other.example.com/x')
      await see(page, 'Save the changes first: the test uses the saved settings.')
      expect(await test.isDisabled()).toBe(true)
      await panel(page).getByLabel('URL', { exact: true }).fill('')
      expect(await test.isEnabled()).toBe(true)
      await panel(page).getByLabel('Balance below, US$').fill('20')
      await panel(page).getByRole('button', { name: 'Save' }).click()
      await panel(page).waitFor({ state: 'hidden' })
      const [row] = await fixture.engine.db.selectFrom('alert').selectAll().execute()
      expect(row).toMatchObject({ account_id: 'acme', credit_below_nano: 20_000_000_000n })
      expect(row?.secret_sealed).not.toBeNull()
      await see(page, 'Test message')
      await see(page, 'hooks.example.com responded with HTTP 500.')
      // Each message names its account and alert, and the list can be limited to one state.
      const messages = page.locator('section').filter({ hasText: 'Outgoing messages' })
      const named = messages.getByText('Acme Robotics · Money')
      await named.nth(1).waitFor()
      await messages.getByText('Failed', { exact: true }).first().click()
      await eventually('one message', async () => (await named.count()) === 1)
      await see(page, 'hooks.example.com responded with HTTP 500.')
      await messages.getByText('Waiting', { exact: true }).click()
      await see(page, 'No messages with this status')
      expect(await seriousIssues(page)).toEqual([])

      await page.getByRole('button', { name: 'Open Money' }).click()
      // Nobody is asked about changes of an alert that is deleted.
      await panel(page).getByLabel('Name', { exact: true }).fill('Money 2')
      await panel(page).getByRole('button', { name: 'Delete' }).click()
      await page
        .getByRole('dialog', { name: 'Delete Money?' })
        .getByRole('button', { name: 'Delete' })
        .click()
      await see(page, 'No alerts yet')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(complaints).toEqual([])
      await close()
    },
    patience(60_000),
  )

  test(
    'an owner sends a failed message again',
    async () => {
      const alert = { accountId: 'acme', name: 'Money', channel: 'webhook', kinds: ['credit_low'] }
      const body = { ...alert, url: 'https://hooks.example.com/x', secret }
      const cookie = await fixture.signIn('u_owen')
      const put = await fixture.send('PUT', '/console/api/alerts/money', { cookie, body })
      expect(put.status).toBe(201)
      await addFailedMessage(fixture, { alertId: 'money', accountId: 'acme' })
      await addFailedMessage(fixture, { alertId: null, accountId: 'acme', channel: 'email' })
      const { page, close, complaints } = await openAs('u_owen')
      await visit(page, '/console/alerts')
      const again = page.getByRole('button', { name: 'Send again' })
      // The invitation has no such button: its content is deleted.
      await see(page, 'Invitation')
      await see(page, 'Low credit: Acme')
      expect(await again.count()).toBe(1)
      expect(await seriousIssues(page)).toEqual([])
      await again.click()
      await see(page, 'The message is queued again.')
      await again.waitFor({ state: 'detached' })
      await see(page, 'Sent again')
      await see(page, 'Waiting')
      const rows = await fixture.engine.db
        .selectFrom('outbox')
        .select('state')
        .where('purpose', '!=', 'security-notice')
        .execute()
      expect(rows.map(({ state }) => state).toSorted()).toEqual(['failed', 'failed', 'waiting'])
      expect(complaints).toEqual([])
      await close()
    },
    patience(60_000),
  )

  test(
    'an owner sees which conditions are active',
    async () => {
      const alert = { accountId: 'acme', name: 'Money', channel: 'webhook' }
      const kinds = ['credit_low', 'key_expiring']
      const body = { ...alert, kinds, creditBelowNano: '900000000000000', secret }
      const cookie = await fixture.signIn('u_owen')
      const url = 'https://hooks.example.com/x'
      await fixture.send('PUT', '/console/api/alerts/money', { cookie, body: { ...body, url } })
      const crossing = { alert_id: 'money', kind: 'credit_low', subject: 'acme' }
      await fixture.engine.db
        .insertInto('alert_crossing')
        .values({ ...crossing, since: fixture.nowMs() })
        .execute()
      const { page, close, complaints } = await openAs('u_owen')
      await visit(page, '/console/alerts')
      await see(page, '1 active condition')
      await page.getByRole('button', { name: 'Open Money' }).click()
      await see(page, 'Low credit: Acme Robotics')
      await see(page, /The balance of the account Acme Robotics is \$[0-9.]+, below \$900000/)
      expect(await seriousIssues(page)).toEqual([])
      expect(complaints).toEqual([])
      await close()
      const chinese = await openAs('u_owen', 'zh-CN')
      await visit(chinese.page, '/console/alerts?alert=money')
      await see(chinese.page, '余额不足：Acme Robotics')
      await chinese.close()
    },
    patience(60_000),
  )

  test(
    'the link of a message opens its alert, also one that is not on the first page of the list',
    async () => {
      const cookie = await fixture.signIn('u_root')
      const put = (id: string, body: object) =>
        fixture.send('PUT', `/console/api/alerts/${id}`, { cookie, body })
      const hook = { channel: 'slack', url: 'https://hooks.example.com/x' }
      const own = { ...hook, accountId: 'acme', kinds: ['credit_low'] }
      for (let each = 10; each < 10 + pageRows.alerts; each += 1)
        await put(`a${each}`, { ...own, name: `Acme ${each}` })
      const last = await put('zz', { ...hook, name: 'Routes', kinds: ['upstream_down'] })
      expect(last.status).toBe(201)
      const { page, close, complaints } = await openAs('u_root')
      await visit(page, '/console/operate/alerts?alert=zz')
      await page.getByRole('dialog', { name: 'Routes' }).waitFor()
      expect(await panel(page).getByLabel('Name', { exact: true }).inputValue()).toBe('Routes')
      expect(await page.getByRole('button', { name: 'Open Routes' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Close' }).click()
      await panel(page).waitFor({ state: 'detached' })
      expect(complaints).toEqual([])
      await visit(page, '/console/operate/alerts?alert=gone')
      await panel(page).getByRole('alert').waitFor()
      await close()
    },
    patience(60_000),
  )

  test(
    'an operator sends a test email and sees it in the list',
    async () => {
      const { page, close, complaints } = await openAs('u_root')
      await visit(page, '/console/')
      await goTo(page, 'Alerts')
      await page.getByRole('button', { name: 'Send test email' }).click()
      await see(page, 'The test message was delivered.')
      expect(mails).toEqual(['root@example.com'])
      await see(page, 'root@example.com')
      expect(complaints).toEqual([])
      await close()
      const chinese = await openAs('u_root', 'zh-CN')
      await visit(chinese.page, '/console/operate/alerts?alert=new')
      await heading(chinese.page, '告警')
      await panel(chinese.page).getByText('收件人').first().waitFor()
      expect(
        await englishTexts(chinese.page, [
          /Webhook|Slack|URL|US\$|root@example.com|Acme Robotics|Globex|Newcomer/g,
        ]),
      ).toEqual([])
      await chinese.close()
    },
    patience(60_000),
  )

  test(
    'a person who has forgotten the password sets a new one',
    async () => {
      const { page, close, complaints } = await openPage(browser, fixture.url)
      await page.goto('/console/sign-in')
      await page.getByRole('link', { name: 'Forgot password?' }).click()
      await heading(page, 'Reset your password')
      await page.getByLabel('Email').fill('ann@example.com')
      await page.getByRole('button', { name: 'Send link' }).click()
      await see(page, 'If a user with this email exists')
      expect(await seriousIssues(page)).toEqual([])
      const { engine, vault } = fixture
      const [mail] = await eventually('the email', async () => {
        const found = await claimDue(engine, { vault, nowMs: fixture.nowMs() })
        return found.length > 0 && found
      })
      const text = mail && 'mail' in mail.content ? mail.content.mail.text : ''
      const path = /https:\/\/gw\.example\.com(\S+)/.exec(text)?.[1] ?? ''
      await page.goto(path)
      await heading(page, 'Set a new password')
      await page.getByLabel('New password').fill(password)
      await page.getByLabel('Confirm password').fill(password)
      await page.getByRole('button', { name: 'Save password' }).click()
      await see(page, 'New password saved.')
      await page.getByRole('link', { name: 'Sign in' }).click()
      await fillSignIn(page, 'ann@example.com', password)
      await heading(page, 'Overview')
      expect(complaints).toEqual([])
      await close()
    },
    patience(60_000),
  )
})
