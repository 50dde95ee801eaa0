import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cleanUpAfterwards } from '../process/tollgate-process.ts'
import { browserSuite } from './browser-suite.ts'
import { lookProblems } from './look-problems.ts'
import { phone, showAs, type WatchedPage } from './open-browser.ts'
import { operatorPages, visitOperatorPage } from './operator-pages.ts'
import { type OperatorStage, openOperatorStage } from './operator-stage.ts'
import { settle } from './page-steps.ts'

/** How they look in the dark, in Chinese, is a matter of chinese.test.ts. */
browserSuite('how the operator pages look in Chromium', (chromiumPath) => {
  cleanUpAfterwards()
  let stage: OperatorStage
  let opened: WatchedPage
  beforeAll(async () => {
    stage = await openOperatorStage(chromiumPath)
    await (await stage.ask('gpt-x')).text()
    opened = await stage.open()
  })
  afterAll(() => stage?.close())

  test.each(operatorPages)(
    '%s fits, and axe finds nothing serious, on a desk and on a phone',
    async (path, title) => {
      const { page } = opened
      await showAs(page, {})
      await visitOperatorPage(page, path, title)
      const problems = await lookProblems('desk', opened)
      await showAs(page, { viewport: phone })
      await settle(page)
      problems.push(...(await lookProblems('phone', opened)))
      expect(problems).toEqual([])
    },
  )
})
