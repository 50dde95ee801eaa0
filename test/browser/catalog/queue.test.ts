import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { patience } from '../../support/patience.ts'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { type OperatorFixture, openOperatorFixture } from '../gateways/operator-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { visit } from '../page/open-browser.ts'
import { see } from '../page/page-steps.ts'
import { seriousIssues } from '../page/serious-issues.ts'

browserSuite('requests that wait for a full upstream, in Chromium', (chromiumPath) => {
  cleanUpAfterwards()
  let fixture: OperatorFixture
  beforeAll(async () => {
    fixture = await openOperatorFixture(chromiumPath, { isNarrow: true })
  })
  afterAll(() => fixture?.close())

  test(
    'Explain shows that a request would wait, and the log shows how long it waited',
    async () => {
      const { page, close } = await fixture.open()
      await explain(page)
      await see(page, 'The request would be forwarded')
      expect(await page.getByText('would wait').count()).toBe(0)
      const gate = Promise.withResolvers<void>()
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
      fixture.two.script('next', {
        kind: 'events',
        headers: { 'content-type': 'application/json' },
        events: [JSON.stringify({ choices: [], usage })],
        end: 'clean',
        gates: [gate.promise],
      })
      const running = fixture.ask('gpt-spare')
      await fixture.two.whenRequested(1)
      await explain(page)
      await see(page, 'The request would wait for a full upstream')
      await see(page, /Priority: Normal\. Longest wait: 30 s\./)
      await see(page, /Waiting now: 0 of at most \d+/)
      expect(await seriousIssues(page)).toEqual([])
      const waiting = fixture.ask('gpt-spare')
      const chinese = await fixture.open({ locale: 'zh-CN' })
      const words = { key: '密钥', body: '请求体', run: '诊断' }
      for (let seen = 0; seen === 0; ) {
        await explain(chinese.page, words)
        await see(chinese.page, '上游已满，请求将排队等待')
        seen = await chinese.page.getByText(/当前排队 1 个，上限 \d+ 个/).count()
      }
      await chinese.close()
      gate.resolve()
      const [first, second] = await Promise.all([running, waiting])
      expect([first.status, second.status]).toEqual([200, 200])
      await openRequest(page, second)
      await page.getByRole('row', { name: /^Time in queue [\d.]+ ?(ms|s)/ }).waitFor()
      await openRequest(page, first)
      expect(await page.getByRole('row', { name: /^Time in queue/ }).count()).toBe(0)
      await close()
    },
    patience(60_000),
  )
})

async function explain(page: Page, words = { key: 'Key', body: 'Request body', run: 'Explain' }) {
  await visit(page, '/console/operate/explain')
  await page.getByRole('combobox', { name: words.key }).click()
  await page.getByRole('option', { name: /Caller/ }).click()
  const request = { model: 'gpt-spare', messages: [{ role: 'user', content: 'Hi' }] }
  await page.getByLabel(words.body).fill(JSON.stringify(request))
  await page.getByRole('button', { name: words.run, exact: true }).click()
}

async function openRequest(page: Page, response: Response): Promise<void> {
  const id = response.headers.get('x-gateway-request-id') ?? ''
  await visit(page, `/console/operate/usage`)
  await page.getByRole('button', { name: `Show request ${id}` }).click()
  await page.getByRole('dialog', { name: 'Request' }).waitFor()
}
