import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { ModelDetail, UpstreamDetail } from '../../../src/console-api/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { type OperatorFixture, openOperatorFixture } from '../gateways/operator-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { visit } from '../page/open-browser.ts'
import { choose, see } from '../page/page-steps.ts'

const panel = (page: Page) => page.getByRole('dialog').first()

browserSuite('prices and billing settings in Chromium', (chromiumPath) => {
  cleanUpAfterwards()
  let fixture: OperatorFixture
  beforeAll(async () => {
    fixture = await openOperatorFixture(chromiumPath)
  })
  afterAll(() => fixture?.close())

  async function read<Body>(page: Page, path: string): Promise<Body> {
    const response = await page.request.get(`/console/api${path}`)
    return (await response.json()) as Body
  }

  test('price tiers for long prompts are entered, shown in both languages, kept by an edit and removed', async () => {
    const { page, close, complaints } = await fixture.open()
    const stepsNow = async () =>
      (await read<ModelDetail>(page, '/operate/models/gpt-x')).price?.longPrompts?.map(
        ({ aboveTokens, inputNano, outputNano }) => [aboveTokens, inputNano, outputNano],
      )
    await visit(page, '/console/operate/models?model=gpt-x')
    await panel(page).getByRole('button', { name: 'New version' }).click()
    await panel(page).getByRole('button', { name: 'Add tier' }).click()
    const step = panel(page).getByRole('group', { name: 'Tier 1' })
    expect(await step.getByLabel('Output', { exact: true }).inputValue()).toBe('10')
    await panel(page).getByRole('button', { name: 'Save version' }).click()
    await step.getByText('Enter a whole number from 1 to 1,000,000,000.').waitFor()
    await step.getByLabel('Prompt tokens above').fill('200000')
    await step.getByLabel('Input', { exact: true }).fill('2.4')
    await panel(page).getByText('cost less for a long prompt than for a short one').waitFor()
    await step.getByLabel('Input', { exact: true }).fill('5')
    await step.getByLabel('Output', { exact: true }).fill('15')
    expect(
      await panel(page).getByText('cost less for a long prompt than for a short one').count(),
    ).toBe(0)
    await panel(page).getByRole('button', { name: 'Save version' }).click()
    await panel(page).getByText('Prompts above 200,000 tokens').waitFor()
    expect(await stepsNow()).toEqual([[200_000, '5000000000', '15000000000']])

    await visit(page, '/console/models?account=acme')
    await page.getByRole('button', { name: 'gpt-x', exact: true }).click()
    await panel(page).getByText('Prompts above 200,000 tokens').waitFor()
    await panel(page).getByRole('row', { name: 'Output $15.00' }).waitFor()

    // An edit of the output price keeps the tier.
    await visit(page, '/console/operate/models?model=gpt-x')
    await panel(page).getByRole('button', { name: 'New version' }).click()
    await panel(page).getByLabel('Output', { exact: true }).first().fill('12')
    await panel(page).getByRole('button', { name: 'Save version' }).click()
    await panel(page).getByText('$12.00').first().waitFor()
    expect(await stepsNow()).toEqual([[200_000, '5000000000', '15000000000']])

    const chinese = await fixture.open({ locale: 'zh-CN' })
    await visit(chinese.page, '/console/operate/models?model=gpt-x')
    await see(chinese.page, '提示词超过 200,000 Token')
    await chinese.close()

    await panel(page).getByRole('button', { name: 'New version' }).click()
    await panel(page).getByRole('button', { name: 'Remove tier 1' }).click()
    await panel(page).getByRole('button', { name: 'Save version' }).click()
    await eventually('the step is gone', async () => (await stepsNow())?.length === 0)
    expect(complaints).toEqual([])
    await close()
  })

  test('a price version shows a factor once, with the price that it multiplies', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/operate/models?model=gpt-x')
    await panel(page).getByRole('button', { name: 'New version' }).click()
    await panel(page).getByLabel('Priority tier').fill('2')
    await panel(page).getByRole('button', { name: 'Save version' }).click()
    await panel(page).getByText('2 × token price', { exact: true }).first().waitFor()
    expect(await panel(page).getByText(/^× /).count()).toBe(0)
    await panel(page).getByText('Priority tier', { exact: true }).first().waitFor()

    const chinese = await fixture.open({ locale: 'zh-CN' })
    await visit(chinese.page, '/console/operate/models?model=gpt-x')
    await see(chinese.page, 'Token 价格 × 2')
    await chinese.close()
    expect(complaints).toEqual([])
    await close()
  })

  test('a model from a vendor’s list gets its known price tiers', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/operate/models')
    await page.getByRole('button', { name: 'New model' }).click()
    await choose(page, 'Fill in from a vendor’s list', 'Google Gemini')
    await panel(page).getByRole('combobox', { name: 'Known model' }).click()
    await page.getByRole('option', { name: 'gemini-2.5-pro', exact: true }).click()
    const step = panel(page).getByRole('group', { name: 'Tier 1' })
    expect(await step.getByLabel('Prompt tokens above').inputValue()).toBe('200,000')
    await panel(page).getByRole('button', { name: 'Create model' }).click()
    await panel(page).getByText('Prompts above 200,000 tokens').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('the setting for billing after a disconnect is saved, and other edits keep it', async () => {
    const { page, close, complaints } = await fixture.open()
    const settingNow = async () =>
      (await read<UpstreamDetail>(page, '/operate/upstreams/one')).settings.billsOnAbort
    const label = 'If a client disconnects, the upstream bills'
    const openLimits = async () => {
      await visit(page, '/console/operate/upstreams?upstream=one')
      await panel(page).getByRole('tab', { name: 'Settings' }).click()
      await panel(page).getByRole('button', { name: 'Limits and timeouts' }).click()
    }
    const field = page.getByRole('combobox', { name: label })
    const save = async () => {
      await panel(page).getByRole('button', { name: 'Save' }).click()
      await panel(page).getByRole('button', { name: 'Add model' }).waitFor()
    }
    await openLimits()
    expect(await field.inputValue()).toBe('Vendor default')
    await choose(page, label, 'Only what was sent')
    await save()
    expect(await settingNow()).toBe(false)
    await openLimits()
    expect(await field.inputValue()).toBe('Only what was sent')
    await panel(page).getByLabel('Max concurrent requests').fill('7')
    await save()
    expect(await settingNow()).toBe(false)
    await openLimits()
    await choose(page, label, 'Vendor default')
    await save()
    expect(await settingNow()).toBeNull()
    expect(complaints).toEqual([])
    await close()
  })
})
