import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { lookProblems } from '../page/look-problems.ts'
import {
  launchBrowser,
  openPage,
  phone,
  showAs,
  visit,
  type WatchedPage,
} from '../page/open-browser.ts'
import { heading, settle } from '../page/page-steps.ts'
import { seriousIssues } from '../page/serious-issues.ts'
import { stateOf } from '../page/signed-in.ts'

const pages = [
  '/',
  '/keys',
  '/keys?key=new',
  '/keys?key=key_a2',
  '/usage',
  '/usage?open=newest',
  '/models?account=acme',
  '/playground?account=acme',
  '/billing?account=acme',
  '/account?account=acme',
  '/tokens?account=acme',
  '/tokens?account=acme&token=tok_a1',
  '/tokens?account=acme&token=new',
  '/alerts?account=acme',
  '/alerts?account=acme&alert=new',
  '/setup',
] as const

/** Alternates between desktop and phone, because each change of the window size redraws the whole page. */
const orders = [
  [
    { name: 'light', look: {}, rules: 'all' },
    { name: 'dark', look: { colorScheme: 'dark' }, rules: 'colours' },
    { name: 'phone', look: { viewport: phone }, rules: 'other width' },
  ],
  [
    { name: 'phone', look: { viewport: phone }, rules: 'all' },
    { name: 'light', look: {}, rules: 'other width' },
    { name: 'dark', look: { colorScheme: 'dark' }, rules: 'colours' },
  ],
] as const

browserSuite('accessibility of the console (axe)', (chromiumPath) => {
  let fixture: BuiltFixture
  let browser: Browser

  beforeAll(async () => {
    fixture = await openBuiltFixture()
    await addToken(fixture)
    browser = await launchBrowser(chromiumPath)
  })
  afterAll(async () => {
    await browser?.close()
    await fixture?.close()
  })

  test('the sign-in pages have no serious issue', async () => {
    const { page, close } = await openPage(browser, fixture.url)
    await page.goto('/console/sign-in')
    await heading(page, 'Sign in')
    expect(await seriousIssues(page)).toEqual([])
    await close()
  })

  describe('light, dark and on a phone', () => {
    let opened: WatchedPage

    beforeAll(async () => {
      const storageState = stateOf(await fixture.signIn('u_root'))
      opened = await openPage(browser, fixture.url, { storageState })
    })
    afterAll(() => opened?.close())

    const cases = pages.map((path, index) => [path, orders[index % 2] ?? orders[0]] as const)
    test.each(cases)('%s has no serious issue and fits the screen', async (path, looks) => {
      const { page } = opened
      await showAs(page, looks[0].look)
      await visit(page, `/console${path.replace('newest', fixture.seeded.acmeRequestIds[0] ?? '')}`)
      await settle(page)
      await page.locator('h1').waitFor()
      const problems: string[] = []
      for (const { name, look, rules } of looks) {
        await showAs(page, look)
        await settle(page)
        problems.push(...(await lookProblems(name, opened, rules)))
      }
      expect(problems).toEqual([])
    })
  })
})

async function addToken({ engine }: BuiltFixture): Promise<void> {
  await engine.db
    .insertInto('admin_token')
    .values({
      id: 'tok_a1',
      name: 'Deploys',
      value_hash: 'hash',
      value_hint: 'tgat_…abcd',
      scopes: '["keys","usage","all"]',
      account_id: 'acme',
      made_by: 'cli',
      created_at: 1,
      used_at: Date.now(),
      used_address: '10.1.2.3',
    })
    .execute()
}
