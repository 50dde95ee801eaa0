import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { budgetsAt, isDated } from '../../../src/core/limits/budget.ts'
import { type BudgetOwner, counterId } from '../../../src/ledger/budgets/budget-terms.ts'
import { patience } from '../../support/patience.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, visit } from '../page/open-browser.ts'
import { overflowPixels, see, settle } from '../page/page-steps.ts'
import { seriousIssues } from '../page/serious-issues.ts'
import { stateOf } from '../page/signed-in.ts'

const timeoutMs = patience(60_000)
const dollar = 1_000_000_000n
/** The folder for screenshots of the pages; absent: none are taken. */
const pictures = process.env['TEST_PICTURES']

browserSuite('budgets in Chromium', (chromiumPath) => {
  let fixture: BuiltFixture
  let browser: Browser

  beforeAll(async () => {
    fixture = await openBuiltFixture()
    browser = await launchBrowser(chromiumPath)
    if (pictures !== undefined) mkdirSync(pictures, { recursive: true })
  })
  afterAll(async () => {
    await browser?.close()
    await fixture?.close()
  })

  const openAs = async (user: string, locale = 'en-US') =>
    openPage(browser, fixture.url, { storageState: stateOf(await fixture.signIn(user)), locale })
  const picture = async (page: Page, name: string) => {
    await settle(page)
    if (pictures !== undefined)
      await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true })
  }
  /** Sets the amount that the keys of a member have spent today, for a limit that was set today. */
  const spend = async (owner: BudgetOwner, limitNano: bigint, spentNano: bigint) => {
    const { budget_kinds_at: kindsAtMs } = await fixture.engine.db
      .selectFrom('membership')
      .select('budget_kinds_at')
      .where('user_id', '=', owner.id)
      .where('account_id', '=', owner.accountId)
      .executeTakeFirstOrThrow()
    const none = {
      totalNano: null,
      weeklyNano: null,
      monthlyNano: null,
      alertPercent: null,
      marks: { kindsAtMs, formerMs: 0 },
    }
    const limits = { ...none, dailyNano: limitNano, zone: 'UTC', monthDay: 1 }
    for (const budget of budgetsAt(limits, Date.now()).filter(isDated)) {
      await fixture.engine.db
        .insertInto('budget_counter')
        .values({
          id: counterId(owner, budget),
          account_id: owner.accountId,
          owner_kind: owner.kind,
          owner_id: owner.id,
          period: budget.period,
          starts_at: budget.startsAtMs,
          ends_at: budget.endsAtMs,
          limit_nano: limitNano,
          alert_nano: null,
          available_nano: limitNano - spentNano,
          spent_nano: spentNano,
          counted_for: budget.countedForMs,
        })
        .execute()
    }
  }

  test(
    'an owner sets the budgets of a member; an invalid amount is reported and not saved',
    async () => {
      const { page, close, complaints } = await openAs('u_owen')
      await visit(page, '/console/account')
      await page.getByRole('button', { name: 'Limits: ann@example.com' }).click()
      const dialog = page.getByRole('dialog', { name: 'Limits of ann@example.com' })
      await dialog.getByLabel('Daily budget').fill('five')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByLabel('Daily budget').and(page.locator('[aria-invalid]')).waitFor()
      expect(await seriousIssues(page)).toEqual([])
      await dialog.getByLabel('Daily budget').fill('5')
      await dialog.getByLabel('Monthly budget').fill('100')
      await picture(page, 'budgets-form')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await see(page, 'Limits of ann@example.com saved.')
      await spend({ kind: 'member', accountId: 'acme', id: 'u_ann' }, 5n * dollar, 2n * dollar)
      await page.reload()
      await see(page, /Today: \$2(\.00)? of \$5(\.00)?, \$3(\.00)? left · resets /)
      await see(page, /This month: \$0(\.00)? of \$100(\.00)?, \$100(\.00)? left · resets /)
      expect(await overflowPixels(page)).toBe(0)
      expect(await seriousIssues(page)).toEqual([])
      expect(complaints).toEqual([])
      await picture(page, 'budgets-members')
      await close()
    },
    timeoutMs,
  )

  test(
    'a member sees their own budgets and not those of others; a viewer sees none',
    async () => {
      await fixture.engine.db
        .updateTable('membership')
        .set({ daily_nano: 7n * dollar, budget_version: 9 })
        .where('user_id', '=', 'u_owen')
        .execute()
      const ann = await openAs('u_ann')
      await visit(ann.page, '/console/account')
      await see(ann.page, /Today: \$2(\.00)? of \$5(\.00)?, \$3(\.00)? left · resets /)
      expect(await ann.page.content()).not.toContain('of $7')
      expect(await ann.page.getByRole('button', { name: /^Limits:/ }).count()).toBe(0)
      await ann.close()
      const vera = await openAs('u_vera')
      await visit(vera.page, '/console/account')
      await see(vera.page, 'ann@example.com')
      expect(await vera.page.content()).not.toContain('left · resets')
      await vera.close()
    },
    timeoutMs,
  )

  test(
    'a key gets a budget in its form, and the list shows the spent and the remaining amount',
    async () => {
      const { page, close, complaints } = await openAs('u_ann')
      await visit(page, '/console/keys')
      await page.getByRole('button', { name: 'New key' }).first().click()
      await page.getByLabel('Name', { exact: true }).fill('A key with a budget')
      await page.getByLabel('Weekly budget').fill('3')
      await page.getByRole('button', { name: 'Create key' }).click()
      await see(page, 'Key created')
      await visit(page, '/console/keys')
      await see(page, /This week: \$0(\.00)? of \$3(\.00)?, \$3(\.00)? left · resets /)
      const budget = page.getByText(/^This week: /)
      const cell = page.getByRole('cell').filter({ has: budget })
      const [inner, outer] = [await budget.boundingBox(), await cell.boundingBox()]
      if (!inner || !outer) throw new Error('the budget has no column in the table')
      expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width)
      expect(await seriousIssues(page)).toEqual([])
      expect(complaints).toEqual([])
      await picture(page, 'budgets-keys')
      await page.getByRole('button', { name: 'A key with a budget' }).click()
      const panel = page.getByRole('dialog', { name: 'A key with a budget' })
      await panel.getByText(/^This week: .+ left · resets /).waitFor()
      await close()
    },
    timeoutMs,
  )

  test(
    'an operator sets a budget of an account; its owner sees it',
    async () => {
      const root = await openAs('u_root')
      await visit(root.page, '/console/operate/accounts?open=acme')
      const panel = root.page.getByRole('dialog').first()
      await panel.getByRole('tab', { name: 'Settings' }).click()
      await panel.getByLabel('Monthly budget', { exact: true }).fill('1000')
      await panel.getByRole('button', { name: 'Save' }).click()
      await see(root.page, 'Saved')
      await root.close()
      const owen = await openAs('u_owen')
      await visit(owen.page, '/console/account')
      // The spending of this month counts, although the budget is new.
      await see(owen.page, /This month: \$[0-9.]+ of \$1,000(\.00)?, \$[0-9.]+ left · resets /)
      await picture(owen.page, 'budgets-account')
      await owen.close()
    },
    timeoutMs,
  )

  test(
    'a budget with an unknown time zone says so, in every list, until it gets another one',
    async () => {
      const { db } = fixture.engine
      const lost = { budget_zone: 'Mars/Olympus', budget_version: 11 }
      await db.updateTable('membership').set(lost).where('user_id', '=', 'u_ann').execute()
      await db.updateTable('account').set(lost).where('id', '=', 'acme').execute()
      const { page, close, complaints } = await openAs('u_owen')
      await visit(page, '/console/account')
      const why =
        'the gateway does not know the time zone Mars/Olympus, so the spent amount and the reset are unknown. Requests are refused until another time zone is set.'
      await see(page, `Daily budget of $5.00: ${why}`)
      await see(page, `Monthly budget of $1,000.00: ${why}`)
      expect(await overflowPixels(page)).toBe(0)
      expect(await seriousIssues(page)).toEqual([])
      await picture(page, 'budgets-unknown-zone')
      await page.getByRole('button', { name: 'Limits: ann@example.com' }).click()
      const dialog = page.getByRole('dialog', { name: 'Limits of ann@example.com' })
      const zone = dialog.getByLabel('Budget time zone')
      expect(await zone.inputValue()).toBe('Mars/Olympus')
      await zone.fill('Asia/Tokyo')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await see(page, 'Limits of ann@example.com saved.')
      await see(page, /Today: \$[0-9.]+ of \$5(\.00)?, \$[0-9.]+ left · resets /)
      expect(await page.getByText(`Daily budget of $5.00: ${why}`).count()).toBe(0)
      expect(complaints).toEqual([])
      await close()
      await db.updateTable('account').set({ budget_zone: 'UTC' }).execute()
    },
    timeoutMs,
  )

  test(
    'in Chinese, no hint of a budget is in English',
    async () => {
      const { page, close } = await openAs('u_owen', 'zh-CN')
      await visit(page, '/console/account')
      await see(page, /今日：已用/)
      await page.getByRole('button', { name: '限额：ann@example.com' }).click()
      const dialog = page.getByRole('dialog', { name: 'ann@example.com 的限额' })
      await dialog.getByText('每天的消费上限').waitFor()
      expect(await dialog.textContent()).not.toMatch(/Spending limit|Time zone|Share of/)
      await picture(page, 'budgets-form-zh')
      await close()
      const other = await openAs('u_ann', 'zh-CN')
      await visit(other.page, '/console/keys')
      await see(other.page, /本周：已用/)
      await picture(other.page, 'budgets-keys-zh')
      await other.close()
    },
    timeoutMs,
  )
})
