import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { patience } from '../../support/patience.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, visit } from '../page/open-browser.ts'
import { see } from '../page/page-steps.ts'
import { seriousIssues } from '../page/serious-issues.ts'
import { stateOf } from '../page/signed-in.ts'

/* Owen is the only owner of Acme. Only an administrator can insist on a change that leaves the account without one. */

browserSuite('the last owner in Chromium', (chromiumPath) => {
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
  const owen = async () =>
    fixture.engine.db
      .selectFrom('console_user')
      .select('suspended')
      .where('id', '=', 'u_owen')
      .executeTakeFirst()
  const question = (page: Page) =>
    page.getByRole('dialog').filter({ hasText: 'has no owner who can sign in' })

  test(
    'an owner is asked before giving up the role, and then sees what a viewer sees',
    async () => {
      const { db } = fixture.engine
      const ann = () =>
        db
          .selectFrom('membership')
          .select('role')
          .where('user_id', '=', 'u_ann')
          .where('account_id', '=', 'acme')
          .executeTakeFirst()
      await db
        .updateTable('membership')
        .set({ role: 'owner' })
        .where('user_id', '=', 'u_ann')
        .where('account_id', '=', 'acme')
        .execute()
      const { page, close, complaints } = await openAs('u_ann')
      await visit(page, '/console/account?account=acme')
      await see(page, 'Manage alerts')
      const choose = async (answer: string) => {
        await page.getByRole('combobox', { name: 'Role: ann@example.com' }).click()
        await page.getByRole('option', { name: 'Viewer' }).click()
        const dialog = page.getByRole('dialog', {
          name: 'Give up the role Owner in Acme Robotics?',
        })
        await dialog.getByRole('button', { name: answer }).click()
        await dialog.waitFor({ state: 'detached' })
      }
      await choose('Cancel')
      expect(await ann()).toEqual({ role: 'owner' })
      await choose('Change role')
      await page.getByText('Manage alerts').waitFor({ state: 'detached' })
      expect(await ann()).toEqual({ role: 'viewer' })
      expect(complaints).toEqual([])
      await close()
    },
    patience(60_000),
  )

  test(
    'an administrator is asked before suspending and before deleting the user',
    async () => {
      const { page, close, complaints } = await openAs('u_root')
      await visit(page, '/console/operate/accounts?view=users')
      await page.getByRole('button', { name: 'Open user owen@example.com' }).click()
      const panel = page.getByRole('dialog').filter({ hasText: 'owen@example.com' }).first()
      await panel.getByRole('switch', { name: 'Suspended' }).click()
      await panel.getByRole('button', { name: 'Save' }).click()
      await question(page).waitFor()
      expect(await seriousIssues(page)).toEqual([])
      await question(page).getByRole('button', { name: 'Cancel' }).click()
      await see(page, /needs at least one owner/)
      expect(await owen()).toEqual({ suspended: 0 })

      await panel.getByRole('button', { name: 'Delete' }).click()
      const deletion = page
        .getByRole('dialog')
        .filter({ hasText: /Delete .*owen/ })
        .last()
      await deletion.getByRole('button', { name: 'Delete' }).last().click()
      await question(page).getByRole('button', { name: 'Cancel' }).click()
      expect(await owen()).toEqual({ suspended: 0 })

      await panel.getByRole('button', { name: 'Save' }).click()
      await question(page).getByRole('button', { name: 'Continue anyway' }).click()
      await see(page, 'Saved.')
      expect(await owen()).toEqual({ suspended: 1 })
      // The console reports each refused request.
      expect(complaints.filter((each) => !each.includes('409'))).toEqual([])
      await close()
    },
    patience(60_000),
  )
})
