import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../../support/eventually.ts'
import { patience } from '../../support/patience.ts'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { type OperatorFixture, openOperatorFixture } from '../gateways/operator-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { visit } from '../page/open-browser.ts'
import { choose, heading, see, settle } from '../page/page-steps.ts'

/** React gives an element new properties when the element is rendered, also if they are equal. */
const propertiesOf = `(each) => each[Object.keys(each).find((name) => name.startsWith('__reactProps'))]`
const holdInputs = `(() => {
  const inputs = [...document.querySelectorAll('[role=dialog] :is(input, textarea)')]
  window.heldInputs = inputs.map((each) => [each, (${propertiesOf})(each)])
})()`
const renderedInputs = `window.heldInputs
  .filter(([each, properties]) => (${propertiesOf})(each) !== properties)
  .map(([each]) => each.value)`

browserSuite('scheduled prices, grants, parameters and health in Chromium', (chromiumPath) => {
  cleanUpAfterwards()
  let fixture: OperatorFixture
  beforeAll(async () => {
    fixture = await openOperatorFixture(chromiumPath)
  })
  afterAll(() => fixture?.close())

  let lastId = ''

  async function statusOf(model: string, more?: object): Promise<number> {
    const response = await fixture.ask(model, more)
    await response.text()
    lastId = response.headers.get('x-gateway-request-id') ?? ''
    return response.status
  }

  test('one click on the button of a form shows every problem, although the focus leaves a field', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/operate/upstreams')
    await page.getByRole('button', { name: 'New upstream' }).click()
    const form = page.getByRole('dialog', { name: 'New upstream' })
    await form.getByLabel('Name', { exact: true }).focus()
    await form.getByRole('button', { name: 'Create upstream' }).click()
    await form.getByText(/Enter 1 to \d+ letters/).waitFor()
    await form.getByText('Choose a vendor.').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('a letter renders the field it is typed into, and no other field of the form', async () => {
    const { page, close, complaints } = await fixture.open()
    for (const [path, button, label] of [
      ['/keys?account=acme', 'New key', 'Name'],
      ['/operate/accounts', 'New account', 'Name'],
      ['/operate/models', 'New model', 'Display name'],
      ['/operate/upstreams', 'New upstream', 'Base URL'],
      ['/operate/groups', 'New group', 'Name'],
      ['/operate/alerts', 'New alert', 'Name'],
      ['/operate/tokens', 'New token', 'Name'],
    ] as const) {
      await visit(page, `/console${path}`)
      // The panel of the page before is closing.
      await settle(page)
      await page.getByRole('button', { name: button }).first().click()
      const field = page.getByRole('dialog', { name: button }).getByLabel(label, { exact: true })
      await field.fill('before')
      await settle(page)
      await page.evaluate(holdInputs)
      await field.pressSequentially('x')
      await settle(page)
      expect([path, await page.evaluate(renderedInputs)]).toEqual([path, ['beforex']])
    }
    expect(complaints).toEqual([])
    await close()
  })

  test('a price scheduled for next month does not change today’s charges', async () => {
    const { page, close, complaints } = await fixture.open()
    const costOf = async () => {
      const response = await fixture.ask('gpt-x')
      await response.text()
      return response.headers.get('x-gateway-cost')
    }
    const costBefore = await costOf()
    await visit(page, '/console/operate/models?model=gpt-x')
    const panel = page.getByRole('dialog').first()
    await panel.getByRole('button', { name: 'New version' }).click()
    await panel.getByLabel('Input', { exact: true }).fill('900')
    await panel.getByLabel('Output', { exact: true }).fill('900')
    await pickDay(page, panel.getByLabel('Valid from'), 'previous')
    await panel.getByRole('button', { name: 'Save version' }).click()
    await panel.getByText('Choose a time in the future.').waitFor()
    await pickDay(page, panel.getByLabel('Valid from'), 'next', 2)
    await panel.getByRole('button', { name: 'Save version' }).click()
    await panel.getByText('Scheduled', { exact: true }).waitFor()
    await panel.getByText('In force', { exact: true }).waitFor()
    expect(await panel.getByRole('article').count()).toBe(2)
    expect(await costOf()).toBe(costBefore)
    expect(complaints).toEqual([])
    await close()
  })

  test('a group’s grant ends on its day, and works again with a later date', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/operate/groups?group=default')
    const panel = page.getByRole('dialog').first()
    await panel.getByRole('switch', { name: 'Restrict to specific accounts' }).check()
    await panel.getByRole('combobox', { name: 'Add account' }).click()
    await page.getByRole('option', { name: /Acme/ }).click()
    const end = panel.getByLabel('Expiry for Acme Robotics')
    await pickDay(page, end, 'previous')
    await panel.getByText('Expired').waitFor()
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.waitFor({ state: 'hidden' })
    await eventually('the grant is over', async () => (await statusOf('gpt-x')) === 403)
    await explain(page, 'gpt-x')
    await see(page, 'The request would be rejected with 403')
    await see(page, 'Key has no usable group')
    await see(page, 'The grant of the group has expired')

    await visit(page, '/console/operate/groups?group=default')
    await panel.getByText('Expired').waitFor()
    await pickDay(page, end, 'next', 2)
    await panel.getByText('Expired').waitFor({ state: 'detached' })
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.waitFor({ state: 'hidden' })
    await eventually('the grant holds', async () => (await statusOf('gpt-x')) === 200)
    expect(complaints).toEqual([])
    await close()
  })

  test('the parameters of a route change the upstream request, and the log shows it', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/operate/upstreams?upstream=one')
    const panel = page.getByRole('dialog', { name: 'one', exact: true })
    await panel.getByRole('button', { name: 'Edit route gpt-x' }).click()
    const form = page.getByRole('dialog', { name: 'Edit route gpt-x' })
    const lines = [
      ['Remove', 'temperature'],
      ['Default', 'seed', '7'],
      ['Limit', 'max_tokens', '', '100'],
      ['Rename', 'user', 'end_user'],
      ['Header', 'x-team', 'blue'],
    ] as const
    for (const [index, [kind, name, ...values]] of lines.entries()) {
      const place = `(${index + 1})`
      await form.getByRole('button', { name: 'Add change' }).click()
      await choose(page, `Change ${place}`, kind)
      await form.getByLabel(new RegExp(`^(Field|Name) \\(${index + 1}\\)`)).fill(name)
      const labels =
        kind === 'Limit' ? ['Minimum', 'Maximum'] : [kind === 'Rename' ? 'New name' : 'Value']
      for (const [at, value] of values.entries()) {
        await form.getByLabel(`${labels[at]} ${place}`).fill(value)
      }
    }
    await form.getByRole('button', { name: 'Save' }).click()
    await see(page, 'Routes saved. They are in effect now.')
    const asked = { temperature: 0.5, max_tokens: 5_000, user: 'ann' }
    const sent = await eventually('the parameters are in force', async () => {
      expect(await statusOf('gpt-x', asked)).toBe(200)
      const last = fixture.one.requests.at(-1)
      return last?.headers['x-team'] === 'blue' ? last : undefined
    })
    expect(JSON.parse(sent.body)).toMatchObject({ seed: 7, max_tokens: 100, end_user: 'ann' })
    expect(sent.body).not.toContain('temperature')

    await panel.getByRole('button', { name: 'Edit route gpt-x' }).click()
    await form
      .getByLabel(/^Value/)
      .nth(1)
      .waitFor()
    expect(await form.getByLabel(/^(Field|Name) \(/).count()).toBe(lines.length)
    await page.keyboard.press('Escape')
    await visit(page, '/console/operate/usage')
    await openRequest(page, lastId)
    await see(page, /Removed temperature/)
    expect(complaints).toEqual([])
    await close()
  })

  test('an open circuit breaker is shown, and the fallback model answers in the meantime', async () => {
    const { page, close, complaints } = await fixture.open()
    fixture.one.script({ bodyIncludes: 'gpt-solo' }, { kind: 'status', status: 500 })
    await visit(page, '/console/operate/upstreams')
    await page.getByRole('button', { name: 'Open upstream one' }).waitFor()
    expect(await page.getByText(/circuit breaker/i).count()).toBe(0)
    await breakDown(page)
    await page.reload()
    await see(page, /Circuit breaker open until/)
    await page.getByRole('button', { name: 'Open upstream one' }).click()
    const panel = page.getByRole('dialog', { name: 'one', exact: true })
    await panel.getByText('Circuit breaker open', { exact: true }).waitFor()

    await visit(page, '/console/operate/groups?group=default')
    const group = page.getByRole('dialog').first()
    await group.getByRole('combobox', { name: 'Add fallbacks for a model' }).click()
    await page.getByRole('option', { name: 'gpt-solo' }).click()
    await group.getByRole('combobox', { name: 'Add fallback model for gpt-solo' }).click()
    await page.getByRole('option', { name: 'gpt-spare' }).click()
    await group.getByRole('button', { name: 'Save' }).click()
    await group.waitFor({ state: 'hidden' })
    await eventually('the fallback answers', async () => (await statusOf('gpt-solo')) === 200)
    expect(fixture.two.requests.at(-1)?.body).toContain('gpt-spare')

    await visit(page, '/console/operate/usage')
    await openRequest(page, lastId)
    await see(page, 'gpt-spare responded in place of gpt-solo')
    await explainBroken(page, undefined, ['Fallback for gpt-solo', /Circuit breaker open until/])
    expect(complaints).toEqual([])
    await close()

    const chinese = await fixture.open({ locale: 'zh-CN' })
    const words = { key: '密钥', body: '请求体', run: '诊断' }
    await explainBroken(chinese.page, words, ['gpt-solo 的后备模型', /熔断至/])
    await chinese.close()
  })

  /**
   * Fails requests until the breaker of the upstream opens, or opens again: on a slow machine it may already have
   * become half-open.
   */
  async function breakDown(page: Page): Promise<void> {
    await eventually(
      'the breaker is open',
      async () => (await statusOf('gpt-solo')) !== undefined && isOpen(page),
    )
  }

  async function explainBroken(
    page: Page,
    words: Parameters<typeof explain>[2],
    texts: readonly (string | RegExp)[],
  ): Promise<void> {
    await eventually(`the page tells ${texts.join(', ')}`, async () => {
      await breakDown(page)
      await explain(page, 'gpt-solo', words)
      const seen = texts.map((each) => see(page, each, patience(3_000)))
      return Promise.all(seen).then(
        () => true,
        () => false,
      )
    })
  }

  async function isOpen(page: Page): Promise<boolean> {
    const answer = await page.request.get('/console/api/operate/upstreams/one')
    const { health } = (await answer.json()) as { health: { breaker: string } }
    return health.breaker === 'open'
  }

  test('a rejected credential is shown as rejected until it is replaced', async () => {
    const { page, close, complaints } = await fixture.open()
    const isOld = (headers: Readonly<Record<string, string>>) =>
      headers['authorization']?.includes('sk-two') ?? false
    fixture.two.script(({ headers }) => isOld(headers), { kind: 'status', status: 401 })
    expect(await statusOf('gpt-spare')).toBeGreaterThanOrEqual(500)
    await visit(page, '/console/operate/upstreams?upstream=two')
    const panel = page.getByRole('dialog', { name: 'two', exact: true })
    await panel.getByRole('tab', { name: 'Credentials' }).click()
    await panel.getByText('Rejected', { exact: true }).waitFor()
    await panel.getByRole('button', { name: /Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await panel.getByLabel('API key').fill('sk-new-credential-abcdef')
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.getByText('Rejected', { exact: true }).waitFor({ state: 'detached' })
    await panel.getByLabel('API key').waitFor({ state: 'detached' })
    await eventually('the new credential serves', async () => (await statusOf('gpt-spare')) === 200)
    expect(await page.content()).not.toContain('sk-new-credential-abcdef')

    await visit(page, '/console/operate/audit')
    await page
      .getByRole('button', { name: /Credential changed/ })
      .first()
      .click()
    const detail = page.getByRole('dialog', { name: 'Credential changed' })
    await detail.getByText('credential.changed').waitFor()
    expect(await page.content()).not.toContain('sk-new-credential-abcdef')
    expect(complaints).toEqual([])
    await close()
  })
})

/** Chooses the 15th of an earlier or later month in a date and time field. */
async function pickDay(
  page: Page,
  field: Locator,
  direction: 'previous' | 'next',
  months = 1,
): Promise<void> {
  await field.click()
  const turn = page.locator(`button[data-direction="${direction}"]`).filter({ visible: true })
  for (let month = 0; month < months; month += 1) await turn.first().click()
  await page.getByRole('button', { name: /^15 / }).filter({ visible: true }).click()
  await page.getByRole('button', { name: 'Apply' }).filter({ visible: true }).click()
}

async function explain(
  page: Page,
  model: string,
  words = { key: 'Key', body: 'Request body', run: 'Explain' },
): Promise<void> {
  await visit(page, '/console/operate/explain')
  await page.getByRole('combobox', { name: words.key }).click()
  await page.getByRole('option', { name: /Caller/ }).click()
  await page
    .getByLabel(words.body)
    .fill(JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }))
  await page.getByRole('button', { name: words.run, exact: true }).click()
}

/** The log is written a moment after the answer. The page shows new rows automatically. */
async function openRequest(page: Page, id: string): Promise<void> {
  await heading(page, 'All usage')
  await page.getByRole('button', { name: `Show request ${id}` }).click()
  await page.getByRole('dialog', { name: 'Request' }).waitFor()
}
