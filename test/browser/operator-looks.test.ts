import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cleanUpAfterwards } from '../process/tollgate-process.ts'
import { browserSuite } from './browser-suite.ts'
import { phone, visit, type WatchedPage } from './open-browser.ts'
import { type OperatorStage, openOperatorStage } from './operator-stage.ts'
import { heading, overflowPixels, settle } from './page-steps.ts'
import { seriousIssues } from './serious-issues.ts'

/** Each page with its name in both languages; those with a panel open it by their address. */
const pages = [
  ['upstreams', '/operate/upstreams', 'Upstreams', '上游'],
  ['upstream', '/operate/upstreams?upstream=one', 'Upstreams', '上游'],
  ['routes', '/operate/upstreams?view=routes', 'Upstreams', '上游'],
  ['board', '/operate/upstreams?view=routes&group=default&model=gpt-x', 'Upstreams', '上游'],
  ['prices', '/operate/models', 'Models and prices', '模型与价格'],
  ['price', '/operate/models?model=gpt-x', 'Models and prices', '模型与价格'],
  ['groups', '/operate/groups', 'Groups', '分组'],
  ['group', '/operate/groups?group=default', 'Groups', '分组'],
  ['accounts', '/operate/accounts', 'Accounts and users', '账户与用户'],
  ['account', '/operate/accounts?open=acme', 'Accounts and users', '账户与用户'],
  ['users', '/operate/accounts?view=users', 'Accounts and users', '账户与用户'],
  ['all-usage', '/operate/usage', 'All usage', '全部用量'],
  ['explain', '/operate/explain', 'Explain', '请求推演'],
  ['audit', '/operate/audit', 'Audit log', '审计日志'],
  ['system', '/operate/system', 'System', '系统'],
] as const

const looks = [
  { look: 'light', options: {} },
  { look: 'dark-zh', options: { colorScheme: 'dark', locale: 'zh-CN' } },
  { look: 'phone', options: { viewport: phone } },
] as const

browserSuite('how the operator pages look in Chromium', (chromiumPath) => {
  cleanUpAfterwards()
  let stage: OperatorStage
  beforeAll(async () => {
    stage = await openOperatorStage(chromiumPath)
    await (await stage.ask('gpt-x')).text()
  })
  afterAll(() => stage?.close())

  describe.each(looks)('$look', ({ look, options }) => {
    let opened: WatchedPage
    beforeAll(async () => {
      opened = await stage.open(options)
    })
    afterAll(() => opened?.close())

    test.each(pages)('%s fits, and axe finds nothing serious', async (_, path, ...titles) => {
      const { page, complaints } = opened
      await visit(page, `/console${path}`)
      await settle(page)
      // Behind a panel that is open, the page itself cannot be reached.
      if (/[?&](upstream|model|group|open)=/.test(path) && !path.includes('view=')) {
        await page.getByRole('dialog').waitFor()
      } else {
        await heading(page, titles[look === 'dark-zh' ? 1 : 0])
      }
      await settle(page)
      expect(await overflowPixels(page)).toBe(0)
      expect(await seriousIssues(page)).toEqual([])
      expect(complaints).toEqual([])
    })
  })
})
