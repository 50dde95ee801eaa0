import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type {
  AuditAnswer,
  OverviewAnswer,
  RoutesAnswer,
} from '../../../src/console-api/contract.ts'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { type OperatorFixture, openOperatorFixture } from '../gateways/operator-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, visit } from '../page/open-browser.ts'
import { heading, see, settle } from '../page/page-steps.ts'
import { stateOf } from '../page/signed-in.ts'

const panel = (page: Page) => page.getByRole('dialog').first()
const dayMs = 86_400_000

browserSuite('edge cases in Chromium', (chromiumPath) => {
  describe('with test data', () => {
    let fixture: BuiltFixture
    let browser: Browser
    beforeAll(async () => {
      fixture = await openBuiltFixture()
      browser = await launchBrowser(chromiumPath)
    })
    afterAll(async () => {
      await browser?.close()
      await fixture?.close()
    })
    const openAs = async (user: string) =>
      openPage(browser, fixture.url, { storageState: stateOf(await fixture.signIn(user)) })

    test('a viewer who opens the URL of a new key sees the list and no empty panel', async () => {
      const { page, close, complaints } = await openAs('u_vera')
      await visit(page, '/console/keys?account=acme&key=new')
      await heading(page, 'API keys')
      await see(page, /^No keys$/)
      await settle(page)
      expect(await page.getByRole('dialog').count()).toBe(0)
      expect(await page.getByRole('button', { name: 'New key' }).count()).toBe(0)
      expect(complaints).toEqual([])
      await close()
    })

    test.each(['/console/keys', '/console/', '/console/usage'])(
      'a viewer without requests is told why there are no keys, and not to send one: %s',
      async (path) => {
        const { page, close, complaints } = await openAs('u_vera')
        await page.route('**/console/api/overview?*', async (route) => {
          const response = await route.fetch()
          const overview = (await response.json()) as OverviewAnswer
          const now = { ...overview.now, requests: 0 }
          await route.fulfill({ response, json: { ...overview, now, hasKeys: false } })
        })
        await visit(page, `${path}?account=acme`)
        await see(page, 'Only members and owners of an account can have keys.')
        expect(await page.getByText('New key').count()).toBe(0)
        expect(await page.getByText('curl').count()).toBe(0)
        expect(complaints).toEqual([])
        await close()
      },
    )

    test.each(['/console/', '/console/usage'])(
      'a page that cannot be read shows one error and no placeholders: %s',
      async (path) => {
        const { page, close } = await openAs('u_root')
        await page.route(/\/console\/api\/(overview|usage)/, (route) =>
          route.fulfill({
            status: 503,
            json: { error: { code: 'unavailable', detail: 'database_silent', message: '' } },
          }),
        )
        await visit(page, path)
        await see(page, /The database is not responding/)
        await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
        expect(await page.getByRole('alert').filter({ hasText: 'went wrong' }).count()).toBe(1)
        await page.unrouteAll()
        await page.getByRole('button', { name: 'Try again' }).click()
        await page.getByRole('alert').first().waitFor({ state: 'detached' })
        await see(page, 'Requests')
        await close()
      },
    )

    test('the only owner cannot leave or step down until there is another', async () => {
      const { page, close, complaints } = await openAs('u_bob')
      await visit(page, '/console/account?account=globex')
      const line = page.getByText(
        'the only owner; to change this, make another member an owner first',
      )
      await line.waitFor()
      expect(await line.count()).toBe(1)
      expect(
        await page
          .getByRole('button', { name: /Remove|Leave account/ })
          .first()
          .isDisabled(),
      ).toBe(true)
      expect(complaints).toEqual([])
      await close()
    })

    const begins = [
      ['in the middle of a day', 5 * 3_600_000, true],
      ['with a day', 0, false],
    ] as const
    test.each(begins)('a chart that starts %s says so: %#', async (_name, intoDayMs, isTold) => {
      const { page, close } = await openAs('u_root')
      await page.route('**/console/api/overview?*', async (route) => {
        const response = await route.fetch()
        const overview = (await response.json()) as OverviewAnswer
        const from = overview.series.from - (overview.series.from % dayMs) + intoDayMs
        await route.fulfill({
          response,
          json: { ...overview, series: { ...overview.series, step: 'day', from } },
        })
      })
      await visit(page, '/console/?account=acme&period=30d')
      await page.getByRole('img', { name: /cost/i }).first().waitFor()
      await settle(page)
      const note = page.getByText(/The first bar starts on .+ and does not cover a full day\./)
      expect(await note.count()).toBe(isTold ? 1 : 0)
      await close()
    })
  })

  describe('on a separate gateway', () => {
    cleanUpAfterwards()
    let fixture: OperatorFixture
    beforeAll(async () => {
      fixture = await openOperatorFixture(chromiumPath)
    })
    afterAll(() => fixture?.close())

    test('a model list that the upstream returned is not shown as an error', async () => {
      const { page, close, complaints } = await fixture.open()
      await visit(page, '/console/keys?account=acme')
      const listed = await page.request.get('/console/api/playground/caller/v1/models')
      expect(listed.status()).toBe(200)
      await visit(page, '/console/usage?account=acme&period=1h')
      const row = page.getByRole('row', { name: /No model.* 200/ }).first()
      await row.getByText('200', { exact: true }).waitFor()
      await row.click()
      await panel(page).getByText('No model').waitFor()
      await settle(page)
      expect(await page.getByText(/refused before/i).count()).toBe(0)
      expect(complaints).toEqual([])
      await close()
    })

    test('an upstream without requests is shown as not tested until it is tested', async () => {
      const { page, close, complaints } = await fixture.open()
      // The upstream is the second in the plan, which sends nothing to it yet.
      expect((await fixture.ask('gpt-x')).status).toBe(200)
      await visit(page, '/console/operate/upstreams?upstream=two')
      await panel(page).getByText('Not measured yet').waitFor()
      await panel(page).getByRole('tab', { name: 'Test' }).click()
      await panel(page).getByRole('button', { name: 'Test', exact: true }).click()
      await panel(page).getByText('Passed').waitFor()
      await panel(page).getByText('Healthy').waitFor()
      expect(await page.getByText('Not measured yet').count()).toBe(0)
      expect(complaints).toEqual([])
      await close()
    })

    test('a time just after midnight is 00:05 in the list and in the panel, neither 24:05 nor 12:05 AM', async () => {
      const { page, close, complaints } = await fixture.open()
      await page.route('**/console/api/operate/audit*', async (route) => {
        const response = await route.fetch()
        const audit = (await response.json()) as AuditAnswer
        const at = new Date().setHours(0, 5, 7)
        await route.fulfill({
          response,
          json: { ...audit, rows: audit.rows.map((row) => ({ ...row, at })) },
        })
      })
      await visit(page, '/console/operate/audit')
      await page.getByText('00:05:07').first().waitFor()
      expect(await page.getByText(/24:05:07|12:05:07/).count()).toBe(0)
      await page.getByRole('button', { name: /show/ }).first().click()
      await panel(page)
        .getByText(/, 00:05:07$/)
        .waitFor()
      expect(complaints).toEqual([])
      await close()
    })

    test('removing a route needs confirmation', async () => {
      const { page, close, complaints } = await fixture.open()
      const routesNow = async () => {
        const response = await page.request.get('/console/api/operate/routes?upstream=one')
        return ((await response.json()) as RoutesAnswer).routes.map(({ model }) => model)
      }
      await visit(page, '/console/operate/upstreams?upstream=one')
      const remove = panel(page).getByRole('button', { name: 'Remove gpt-solo' })
      await remove.click()
      const question = page.getByRole('dialog', { name: 'Remove gpt-solo from one?' })
      await question.getByText(/Requests of group default/).waitFor()
      await question.getByRole('button', { name: 'Cancel' }).click()
      await question.waitFor({ state: 'hidden' })
      expect(await routesNow()).toContain('gpt-solo')
      await remove.click()
      await question.getByRole('button', { name: 'Remove' }).click()
      await remove.waitFor({ state: 'hidden' })
      await settle(page)
      expect(await routesNow()).not.toContain('gpt-solo')
      expect(complaints).toEqual([])
      await close()
    })

    test('taking back credit needs confirmation and shows the remaining balance', async () => {
      const { page, close, complaints } = await fixture.open()
      const available = (amount: string) =>
        panel(page)
          .getByRole('row', { name: /Available/ })
          .getByText(amount)
      await visit(page, '/console/operate/accounts?open=globex')
      await panel(page).getByLabel('Reason').fill('Prepaid')
      await panel(page).getByLabel('Amount').fill('9')
      await panel(page).getByRole('button', { name: 'Grant credit' }).click()
      await page
        .getByRole('dialog', { name: 'Grant $9.00 to Globex?' })
        .getByRole('button', { name: 'Grant credit' })
        .click()
      await available('$9.00').waitFor()
      // The confirmation must be typed again.
      expect(await panel(page).getByLabel('Amount').inputValue()).toBe('')
      expect(await panel(page).getByLabel('Reason').inputValue()).toBe('')
      await panel(page).getByLabel('Reason').fill('Entered twice')
      await panel(page).getByLabel('Amount').fill('-4.5')
      await panel(page).getByRole('button', { name: 'Deduct credit' }).click()
      const question = page.getByRole('dialog', { name: 'Deduct $4.50 from Globex?' })
      await question.getByText('Reason: Entered twice').waitFor()
      await question.getByText('Available credit: $9.00 now, $4.50 after this change.').waitFor()
      await question.getByRole('button', { name: 'Cancel' }).click()
      await question.waitFor({ state: 'hidden' })
      expect(await panel(page).getByText('Entered twice').count()).toBe(0)
      await panel(page).getByRole('button', { name: 'Deduct credit' }).click()
      await question.getByRole('button', { name: 'Deduct credit' }).click()
      await available('$4.50').waitFor()
      await panel(page).getByText('Entered twice').waitFor()
      expect(complaints).toEqual([])
      await close()
    })
  })
})
