import { afterAll, beforeAll, expect, test } from 'bun:test'
import { csrfHeader, csrfValue } from '../../src/console-api/contract.ts'
import { cleanUpAfterwards } from '../process/tollgate-process.ts'
import { eventually } from '../support/eventually.ts'
import { browserSuite } from './browser-suite.ts'
import { phone, visit } from './open-browser.ts'
import { type OperatorFixture, openOperatorFixture } from './operator-fixture.ts'
import { overflowPixels, settle } from './page-steps.ts'

/** Three credits of the maximum amount, and the 25 US$ that the account has. */
const creditNano = '999999999123456789'
const exact = '$3,000,000,022.370370367'
/** The wait for a tooltip before the focus moves again. */
const lookMs = 1_000
const looks = [
  ['a desk', {}],
  ['a phone', { viewport: phone }],
] as const

browserSuite('billions of dollars in Chromium', (chromiumPath) => {
  cleanUpAfterwards()
  let fixture: OperatorFixture

  beforeAll(async () => {
    fixture = await openOperatorFixture(chromiumPath)
    const { page, close } = await fixture.open()
    for (const externalId of ['one', 'two', 'three']) {
      const response = await page.request.post('/console/api/operate/accounts/acme/credits', {
        headers: { [csrfHeader]: csrfValue },
        data: { amountNano: creditNano, reason: 'Much', externalId },
      })
      expect(response.status()).toBe(200)
    }
    await close()
  })
  afterAll(() => fixture?.close())

  test.each(looks)(
    'stay on one line on %s, with the exact amount in the tooltip',
    async (_, look) => {
      const { page, close, complaints } = await fixture.open(look)
      for (const path of ['/?account=acme', '/', '/billing?account=acme', '/operate/accounts']) {
        await visit(page, `/console${path}`)
        await settle(page)
        await page.locator('.figures').first().waitFor()
        expect([path, await overflowPixels(page)]).toEqual([path, 0])
        expect([path, await brokenFigures(page)]).toEqual([path, []])
        expect([path, await page.locator('main').textContent()]).toEqual([
          path,
          expect.stringContaining(path.startsWith('/billing') ? exact : '$3B'),
        ])
      }
      await visit(page, '/console/?account=acme')
      await settle(page)
      const amount = page.locator('.figure-card').getByText('$3B').first().locator('..')
      expect(await amount.ariaSnapshot()).toContain(exact)
      const tooltip = page.getByRole('tooltip').getByText(exact)
      await eventually('the keyboard shows the exact amount', async () => {
        // Only a focus that was moved by the keyboard shows a tooltip.
        await page.keyboard.press('Tab')
        await amount.focus()
        return tooltip.waitFor({ timeout: lookMs }).then(
          () => true,
          () => false,
        )
      })
      expect(complaints).toEqual([])
      await close()
    },
  )
})

/** Amounts that take more than one line. */
function brokenFigures(page: Awaited<ReturnType<OperatorFixture['open']>>['page']) {
  return page.evaluate<string[]>(`[...document.querySelectorAll('main span.figures')]
    .filter((each) => {
      const tops = [...each.getClientRects()].map(({ bottom }) => Math.round(bottom))
      return Math.max(...tops) - Math.min(...tops) > 8
    })
    .map((each) => each.textContent)`)
}
