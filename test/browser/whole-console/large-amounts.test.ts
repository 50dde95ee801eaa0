import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type AccountDetail, csrfHeader, csrfValue } from '../../../src/console-api/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { type OperatorFixture, openOperatorFixture } from '../gateways/operator-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { phone, visit } from '../page/open-browser.ts'
import { overflowPixels, settle } from '../page/page-steps.ts'

/** Three credits of the maximum amount, and the 25 US$ that the account has. */
const creditNano = '999999999123456789'
const exact = '$3,000,000,022.370370367'
/** The wait for a tooltip before the focus moves again. */
const lookMs = 1_000
const looks = [
  ['a desktop', {}],
  ['a phone', { viewport: phone }],
] as const

browserSuite('billions of dollars in Chromium', (chromiumPath) => {
  cleanUpAfterwards()
  let fixture: OperatorFixture

  beforeAll(async () => {
    fixture = await openOperatorFixture(chromiumPath)
    const { page, close } = await fixture.open()
    const post = async (path: string, data: object) => {
      const headers = { [csrfHeader]: csrfValue }
      const response = await page.request.post(`/console/api${path}`, { headers, data })
      expect([path, response.status()]).toEqual([path, 200])
    }
    for (const externalId of ['one', 'two', 'three']) {
      const reason = 'A reason of several words'
      await post('/operate/accounts/acme/credits?confirm=true', {
        amountNano: creditNano,
        reason,
        externalId,
      })
    }
    const email = 'maria.gonzalez-fernandez@research.example.com'
    await post('/accounts/acme/members', { email, role: 'member' })
    const answer = await page.request.get('/console/api/accounts/acme')
    const { members } = (await answer.json()) as AccountDetail
    await post('/keys', {
      accountId: 'acme',
      name: 'A continuous integration runner with a long name',
      ownerId: members.find((member) => member.email === email)?.userId,
      groups: ['default'],
      quotaNano: '987654321123456789',
      dailyNano: '10000000000',
      weeklyNano: '40000000000',
      monthlyNano: '250000000000',
      expiresAt: Date.now() + 30 * 86_400_000,
    })
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
        expect([path, await hiddenPixels(page)]).toEqual([path, []])
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

  test.each(looks)(
    'of a quota, with budgets and a long owner, fit the list of keys on %s',
    async (_, look) => {
      const { page, close, complaints } = await fixture.open(look)
      await visit(page, '/console/keys?account=acme')
      await page.getByText('987.7M').first().waitFor()
      await settle(page)
      expect(await hiddenPixels(page)).toEqual([])
      expect(complaints).toEqual([])
      await close()
    },
  )
})

/** Parts of the page that show less than they contain, and would have to be scrolled sideways. */
function hiddenPixels(page: Page) {
  return page.evaluate<string[]>(`[...document.querySelectorAll('main :not(input)')]
    .filter((each) => getComputedStyle(each).overflowX !== 'visible')
    .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 40)
    .map((each) => each.className + ': ' + (each.scrollWidth - each.clientWidth))`)
}

/** Amounts that take more than one line. */
function brokenFigures(page: Page) {
  return page.evaluate<string[]>(`[...document.querySelectorAll('main span.figures')]
    .filter((each) => {
      const tops = [...each.getClientRects()].map(({ bottom }) => Math.round(bottom))
      return Math.max(...tops) - Math.min(...tops) > 8
    })
    .map((each) => each.textContent)`)
}
