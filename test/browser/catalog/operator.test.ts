import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../../support/eventually.ts'
import { patience } from '../../support/patience.ts'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import {
  type OperatorFixture,
  openOperatorFixture,
  upstreamSecret,
} from '../gateways/operator-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { visit } from '../page/open-browser.ts'
import { choose, goTo, heading, see } from '../page/page-steps.ts'

browserSuite('the operator pages in Chromium, on a running gateway', (chromiumPath) => {
  cleanUpAfterwards()
  let fixture: OperatorFixture
  beforeAll(async () => {
    fixture = await openOperatorFixture(chromiumPath)
  })
  afterAll(() => fixture?.close())

  test('an upstream is created, tested and routed, and answers; its secret is never returned', async () => {
    const { page, close, complaints } = await fixture.open()
    const bodies: string[] = []
    page.on('response', (response) => {
      if (!response.url().includes('/console/api/')) return
      // A request that the page has aborted has no body.
      response.text().then(
        (body) => bodies.push(body),
        () => undefined,
      )
    })
    await visit(page, '/console/operate/upstreams')
    await heading(page, 'Upstreams')
    await page.getByRole('button', { name: 'New upstream' }).click()
    const panel = page.getByRole('dialog')
    // A form that has just opened may render once more and lose the typed text.
    await eventually('the form says what is missing', async () => {
      await panel.getByRole('button', { name: 'Create upstream' }).click()
      return panel
        .getByText('Choose a vendor.')
        .waitFor({ timeout: patience(3_000) })
        .then(
          () => true,
          () => false,
        )
    })
    await panel.getByLabel('Name', { exact: true }).fill('three')
    await choose(page, 'Vendor', 'OpenAI-compatible')
    await panel.getByLabel('Base URL').fill(`${fixture.two.url}/v1`)
    await choose(page, 'Protocol', 'Chat Completions')
    await panel.getByLabel('API key').fill(upstreamSecret)
    await panel.getByRole('button', { name: 'Create upstream' }).click()
    await panel.getByText('No model is routed to this upstream').waitFor()

    await panel.getByRole('button', { name: 'Add model' }).click()
    const form = page.getByRole('dialog', { name: 'New route' })
    await form.getByRole('combobox', { name: 'Model', exact: true }).click()
    await page.getByRole('option', { name: 'gpt-lost' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await panel.getByRole('link', { name: 'gpt-lost' }).waitFor()

    await panel.getByRole('tab', { name: 'Test' }).click()
    await panel.getByRole('button', { name: 'Test' }).click()
    const result = panel.getByRole('region', { name: 'Chat Completions' })
    await result.getByText('Passed').waitFor()
    await result.getByText('Tokens:').waitFor()
    const asked = fixture.two.requests.at(-1)
    expect(asked?.headers['authorization']).toBe(`Bearer ${upstreamSecret}`)

    const answer = await eventually('the new route serves', async () => {
      const response = await fixture.ask('gpt-lost')
      await response.text()
      return response.status === 200
    })
    expect(answer).toBe(true)
    expect(bodies.length).toBeGreaterThan(3)
    expect(bodies.filter((body) => body.includes(upstreamSecret))).toEqual([])
    expect(complaints).toEqual([])
    await close()
  })

  test('a route keeps its number; removing it or leaving edits needs confirmation', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/operate/upstreams?upstream=one')
    const panel = page.getByRole('dialog', { name: 'one', exact: true })
    await panel
      .getByText(/priority 0, weight 1/)
      .first()
      .waitFor()
    await panel.getByRole('button', { name: 'Edit route gpt-x' }).click()
    const form = page.getByRole('dialog', { name: 'Edit route gpt-x' })
    expect(await form.getByLabel('Priority').inputValue()).toBe('0')
    await form.getByLabel('Priority').fill('7')
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'hidden' })
    expect(await form.getByLabel('Priority').inputValue()).toBe('7')
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Discard' }).click()
    await form.waitFor({ state: 'hidden' })
    expect(await panel.isVisible()).toBe(true)
    await panel.getByRole('button', { name: 'Remove gpt-x', exact: true }).click()
    const removal = page.getByRole('dialog', { name: 'Remove gpt-x from one?' })
    await removal.getByText(/takes effect immediately/).waitFor()
    await page.keyboard.press('Escape')
    await removal.waitFor({ state: 'hidden' })
    await panel
      .getByText(/priority 0, weight 1/)
      .first()
      .waitFor()
    expect(await servedBy('gpt-x')).toBe('one')
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    expect(complaints).toEqual([])
    await close()
  })

  test('a credential is replaced and disabled; only its hint is shown', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/operate/upstreams?upstream=one')
    const panel = page.getByRole('dialog')
    await panel.getByRole('tab', { name: 'Credentials' }).click()
    await panel.getByRole('button', { name: 'Add credential' }).click()
    await panel.getByLabel('Name', { exact: true }).fill('second')
    await panel.getByLabel('API key').fill('sk-second-credential-1234')
    await panel.getByRole('button', { name: 'Add credential' }).click()
    await panel.getByText('1234').waitFor()
    expect(await page.content()).not.toContain('sk-second-credential-1234')
    await panel.getByRole('button', { name: 'Actions for second' }).click()
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await panel.getByText('Disabled').waitFor()
    await panel.getByRole('button', { name: 'Actions for second' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page
      .getByRole('dialog', { name: 'Delete credential second?' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await panel.getByText('1234').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await close()
  })

  test('routes change priority by keyboard alone, and another upstream serves', async () => {
    const { page, close, complaints } = await fixture.open()
    expect(await servedBy('gpt-x')).toBe('one')
    await openBoard(page)
    const first = page.getByRole('region', { name: 'tried first' })
    const handle = first.getByRole('button', { name: 'Move one', exact: true })
    await handle.focus()
    await page.keyboard.press('Space')
    // Beyond the position of the other route, where both would have the same priority.
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Space')
    await first.getByText('two').waitFor()
    await first.getByText('one').waitFor({ state: 'detached' })
    await see(page, 'Changes not saved yet.')
    expect(await servedBy('gpt-x')).toBe('one')
    await page.getByRole('button', { name: 'Save routes' }).focus()
    await page.keyboard.press('Enter')
    await see(page, 'Routes saved. They are in effect now.')
    await eventually('the new order serves', async () => (await servedBy('gpt-x')) === 'two')
    expect(complaints).toEqual([])
    await close()
  })

  test('routes change priority by dragging, and the change can be discarded', async () => {
    const { page, close, complaints } = await fixture.open()
    await openBoard(page)
    const card = page.getByRole('button', { name: 'Move two', exact: true })
    const from = await card.boundingBox()
    const to = await page.getByRole('region', { name: 'Drop here to try last' }).boundingBox()
    if (!from || !to) throw new Error('the board is missing')
    await page.mouse.move(from.x + 5, from.y + 5)
    await page.mouse.down()
    await page.mouse.move(from.x + 30, from.y + 20, { steps: 5 })
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 15 })
    await page.mouse.up()
    await see(page, 'Changes not saved yet.')
    await page.getByRole('region', { name: 'tried first' }).getByText('one').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('region', { name: 'tried first' }).getByText('two').waitFor()
    expect(await servedBy('gpt-x')).toBe('two')
    expect(complaints).toEqual([])
    await close()
  })

  /** The scripted upstream that answers now. */
  async function servedBy(model: string): Promise<'one' | 'two'> {
    const countOne = (): number =>
      fixture.one.requests.filter(({ method }) => method === 'POST').length
    const before = countOne()
    const response = await fixture.ask(model)
    await response.text()
    expect(response.status).toBe(200)
    // A page may request an upstream's list of models at any moment.
    return countOne() > before ? 'one' : 'two'
  }

  async function openBoard(page: Page): Promise<void> {
    await visit(page, '/console/operate/upstreams?view=routes')
    await heading(page, 'Upstreams')
    await page.getByRole('button', { name: 'Edit routes of gpt-x in default' }).click()
    await page.getByRole('region', { name: 'tried first' }).waitFor()
  }

  test('models without a price or route are listed; a new price version is charged from then on', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/')
    await heading(page, 'Overview')
    await goTo(page, 'Models and prices')
    await page.getByRole('tab', { name: /No price/ }).click()
    await page.getByRole('button', { name: 'Open model gpt-free' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByText('No price is in force').waitFor()
    await panel.getByRole('button', { name: 'New version' }).click()
    await panel.getByLabel('Input', { exact: true }).fill('five')
    await panel.getByRole('button', { name: 'Save version' }).click()
    await panel.getByText(/Enter an amount in US\$/).waitFor()
    await panel.getByLabel('Input', { exact: true }).fill('5')
    await panel.getByLabel('Output', { exact: true }).fill('7.123456789')
    await panel.getByRole('button', { name: 'Save version' }).click()
    await panel.getByText('In force', { exact: true }).waitFor()
    await panel.getByText('3456789').waitFor()
    const cost = await eventually('the price is in force', async () => {
      const response = await fixture.ask('gpt-free')
      await response.text()
      return response.headers.get('x-gateway-cost') ?? undefined
    })
    expect(Number(cost)).toBeGreaterThan(0)

    await panel.getByRole('button', { name: 'New version' }).click()
    expect(await panel.getByLabel('Input', { exact: true }).inputValue()).toBe('5')
    await panel.getByLabel('Input', { exact: true }).fill('6')
    await panel.getByRole('button', { name: 'Save version' }).click()
    await panel.getByText('Past', { exact: true }).waitFor()
    expect(await panel.getByRole('article').count()).toBe(2)
    expect(complaints).toEqual([])
    await close()
  })

  test('a model is created from the list of requested but not available models', async () => {
    const { page, close, complaints } = await fixture.open()
    expect((await fixture.ask('gpt-missed')).status).toBe(404)
    await visit(page, '/console/operate/models?view=missed')
    await eventually('the miss is in the log', async () => {
      await page.reload()
      await heading(page, 'Models and prices')
      const found = page.getByRole('button', { name: 'Add model gpt-missed' })
      return found.waitFor({ timeout: patience(2_000) }).then(
        () => true,
        () => false,
      )
    })
    await page.getByRole('button', { name: 'Add model gpt-missed' }).click()
    const panel = page.getByRole('dialog')
    expect(await panel.getByLabel('Model ID').inputValue()).toBe('gpt-missed')
    await panel.getByLabel('Owned by').fill('tests')
    await panel.getByRole('button', { name: 'Create model' }).click()
    await panel.getByRole('tab', { name: 'Prices' }).waitFor()
    await panel.getByText('In force', { exact: true }).waitFor()
    expect(complaints).toEqual([])
    await close()
  })
})
