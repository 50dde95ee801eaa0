import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { type OperatorFixture, openOperatorFixture } from '../gateways/operator-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { lookProblems } from '../page/look-problems.ts'
import { phone, showAs, type WatchedPage } from '../page/open-browser.ts'
import { operatorPages, visitOperatorPage } from '../page/operator-pages.ts'
import { settle } from '../page/page-steps.ts'

/** chinese.test.ts covers the dark colour scheme and the Chinese texts. */
browserSuite('layout of the operator pages in Chromium', (chromiumPath) => {
  cleanUpAfterwards()
  let fixture: OperatorFixture
  let opened: WatchedPage
  beforeAll(async () => {
    fixture = await openOperatorFixture(chromiumPath)
    await (await fixture.ask('gpt-x')).text()
    opened = await fixture.open()
  })
  afterAll(() => fixture?.close())

  /** Alternates between desktop and phone, because each change of the window size redraws the whole page. */
  const sizes = [
    ['desk', {}],
    ['phone', { viewport: phone }],
  ] as const
  const cases = operatorPages.map(
    ([path, title], index) => [path, title, index % 2 === 0 ? sizes : sizes.toReversed()] as const,
  )
  test.each(cases)(
    '%s fits the screen and has no serious axe issue, on desktop and phone',
    async (path, title, looks) => {
      const { page } = opened
      const problems: string[] = []
      for (const [index, [name, look]] of looks.entries()) {
        await showAs(page, look)
        if (index === 0) await visitOperatorPage(page, path, title)
        else await settle(page)
        problems.push(...(await lookProblems(name, opened, index === 0 ? 'all' : 'other width')))
      }
      expect(problems).toEqual([])
    },
  )
})
