import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { browserSuite } from './browser-suite.ts'
import { type BuiltStage, openBuiltStage } from './built-stage.ts'
import { launchBrowser, openPage, phone, visit, type WatchedPage } from './open-browser.ts'
import { heading, settle } from './page-steps.ts'
import { seriousIssues } from './serious-issues.ts'

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
  '/setup',
] as const

const looks = [
  { name: 'light', options: {} },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'on a phone', options: { viewport: phone } },
] as const

browserSuite('what axe finds serious in the console', (chromiumPath) => {
  let stage: BuiltStage
  let browser: Browser

  beforeAll(async () => {
    stage = await openBuiltStage()
    browser = await launchBrowser(chromiumPath)
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.close()
  })

  test('nothing before signing in', async () => {
    const { page, close } = await openPage(browser, stage.url)
    await page.goto('/console/sign-in')
    await heading(page, 'Sign in')
    expect(await seriousIssues(page)).toEqual([])
    await close()
  })

  describe.each(looks)('$name', ({ options }) => {
    let opened: WatchedPage

    beforeAll(async () => {
      opened = await openPage(browser, stage.url, options)
      await opened.page.goto(await stage.signInPath('u_root'))
      await heading(opened.page, 'Overview')
    })
    afterAll(() => opened?.close())

    test.each(pages)('nothing on %s', async (path) => {
      const { page } = opened
      await visit(page, `/console${path.replace('newest', stage.seeded.acmeRequestIds[0] ?? '')}`)
      await settle(page)
      await page.locator('h1').waitFor()
      expect(await seriousIssues(page)).toEqual([])
    })
  })
})
