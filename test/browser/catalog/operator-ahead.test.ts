import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { type OperatorFixture, openOperatorFixture } from '../gateways/operator-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { visit } from '../page/open-browser.ts'
import { heading, see } from '../page/page-steps.ts'

const refusal = {
  error: { code: 'unavailable', message: 'The database is away.', requestId: 'req_1' },
}

browserSuite(
  'changes by operators appear at once and are reverted when the back end rejects them',
  (chromiumPath) => {
    cleanUpAfterwards()
    let fixture: OperatorFixture
    beforeAll(async () => {
      fixture = await openOperatorFixture(chromiumPath)
    })
    afterAll(() => fixture?.close())

    /** Delays the next change, so that the page shows only the expected result, and then refuses it. */
    async function holdChange(page: Page): Promise<() => Promise<void>> {
      const held = Promise.withResolvers<Route>()
      await page.route('**/console/api/operate/**', (route) => {
        if (route.request().method() === 'GET') return route.continue()
        held.resolve(route)
        return undefined
      })
      return async () => {
        const route = await held.promise
        await route.fulfill({ status: 503, json: refusal })
        await page.unroute('**/console/api/operate/**')
        await see(page, 'The database is away.')
      }
    }

    test('suspending an account', async () => {
      const { page, close } = await fixture.open()
      await visit(page, '/console/operate/accounts?open=acme')
      const panel = page.getByRole('dialog', { name: 'Acme Robotics', exact: true })
      await panel.getByRole('tab', { name: 'Settings' }).click()
      const refuse = await holdChange(page)
      await panel.getByRole('button', { name: 'Suspend' }).click()
      await page
        .getByRole('dialog', { name: /Suspend Acme/ })
        .getByRole('button', { name: 'Suspend' })
        .click()
      await panel.getByText('Suspended').waitFor()
      await refuse()
      await panel.getByText('Suspended').waitFor({ state: 'detached' })
      expect((await fixture.ask('gpt-x')).status).toBe(200)
      await close()
    })

    test('disabling an upstream and a credential', async () => {
      const { page, close } = await fixture.open()
      await visit(page, '/console/operate/upstreams?upstream=one')
      const panel = page.getByRole('dialog', { name: 'one' })
      const enabled = panel.getByRole('switch', { name: 'Enabled' })
      await enabled.waitFor()
      const refuseSwitch = await holdChange(page)
      await enabled.click()
      await panel.getByText('Disabled').waitFor()
      await refuseSwitch()
      await panel.getByText('Disabled').waitFor({ state: 'detached' })
      expect(await enabled.isChecked()).toBe(true)

      await panel.getByRole('tab', { name: 'Credentials' }).click()
      await panel.getByRole('button', { name: /Actions for/ }).click()
      const refuseCredential = await holdChange(page)
      await page.getByRole('menuitem', { name: 'Disable' }).click()
      await panel.getByText('Disabled').waitFor()
      await refuseCredential()
      await panel.getByText('Disabled').waitFor({ state: 'detached' })

      await enabled.click()
      await panel.getByText('Disabled').waitFor()
      await enabled.click()
      await panel.getByText('Disabled').waitFor({ state: 'detached' })
      await close()
    })

    test('reordering routes: after an error the old order stays in force and the new order is not lost', async () => {
      const { page, close } = await fixture.open()
      await visit(page, '/console/operate/upstreams?view=routes&group=default&model=gpt-x')
      await page.getByRole('button', { name: 'one: move to the next priority' }).click()
      const first = page.getByRole('region', { name: 'tried first' })
      await first.getByText('two').waitFor()
      await see(page, 'Changes not saved yet.')
      const refuse = await holdChange(page)
      await page.getByRole('button', { name: 'Save routes' }).click()
      await page.getByText('Changes not saved yet.').waitFor({ state: 'detached' })
      await first.getByText('two').waitFor()
      await refuse()
      await see(page, 'Changes not saved yet.')
      await page.getByRole('button', { name: 'Discard' }).click()
      await first.getByText('two').waitFor({ state: 'detached' })
      await close()
    })

    test('deleting a group', async () => {
      const { page, close } = await fixture.open()
      await visit(page, '/console/operate/groups')
      await heading(page, 'Groups')
      await page.getByRole('button', { name: 'New group' }).click()
      const panel = page.getByRole('dialog').first()
      await panel.getByLabel('Name', { exact: true }).fill('brief')
      await panel.getByRole('button', { name: 'Create group' }).click()
      const row = page.getByRole('button', { name: 'Open group brief' })
      await row.click()
      const refuse = await holdChange(page)
      await panel.getByRole('button', { name: 'Delete' }).click()
      await page
        .getByRole('dialog', { name: /Delete brief/ })
        .getByRole('button', { name: 'Delete' })
        .click()
      // Behind the panel, which stays open until the gateway has answered.
      const hidden = page.locator('button', { hasText: 'brief' })
      await hidden.waitFor({ state: 'detached' })
      await refuse()
      await hidden.waitFor({ state: 'attached' })
      await panel.getByRole('button', { name: 'Delete' }).click()
      await page
        .getByRole('dialog', { name: /Delete brief/ })
        .getByRole('button', { name: 'Delete' })
        .click()
      await see(page, 'brief deleted.')
      await hidden.waitFor({ state: 'detached' })
      await close()
    })
  },
)
