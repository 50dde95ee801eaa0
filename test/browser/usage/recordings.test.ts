import { afterAll, beforeAll, expect, test } from 'bun:test'
import { text } from 'node:stream/consumers'
import type { Browser, Page } from 'playwright-core'
import { findPolicy } from '../../../src/recording/policy-store.ts'
import { annPassword } from '../../support/console/console-seed.ts'
import { addRecording, setPolicy } from '../../support/store/recording-seed.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, visit } from '../page/open-browser.ts'
import { see, settle } from '../page/page-steps.ts'
import { seriousIssues } from '../page/serious-issues.ts'
import { stateOf } from '../page/signed-in.ts'

const staleMs = 6 * 60_000
/** A number that a JavaScript number cannot represent, and a duplicate name: the recording must change neither. */
const request = '{"model":"gpt-x","seed":12345678901234567890,"n":1,"n":[],"text":"a, \\"b\\": {"}'
const shownRequest = `{
  "model": "gpt-x",
  "seed": 12345678901234567890,
  "n": 1,
  "n": [],
  "text": "a, \\"b\\": {"
}`

browserSuite('recordings in Chromium', (chromiumPath) => {
  let fixture: BuiltFixture
  let browser: Browser

  beforeAll(async () => {
    fixture = await openBuiltFixture()
    browser = await launchBrowser(chromiumPath)
    const own = { owner_user_id: 'u_ann' }
    await fixture.engine.db.updateTable('api_key').set(own).where('id', '=', 'key_a1').execute()
  })
  afterAll(async () => {
    await browser?.close()
    await fixture?.close()
  })

  const openAs = async (user: string) =>
    openPage(browser, fixture.url, { storageState: stateOf(await fixture.signIn(user)) })
  const policy = () => findPolicy(fixture.engine.db, 'acme')
  const recordedIds = async () =>
    (await fixture.engine.db.selectFrom('recording').select('request_id').execute()).map(
      (row) => row.request_id,
    )
  const openAccount = async (page: Page) => {
    await visit(page, '/console/account?account=acme')
    await page.getByRole('heading', { name: 'Recording', exact: true }).waitFor()
  }
  const openRequest = async (page: Page, id: string) => {
    await visit(page, `/console/usage?account=acme&open=${id}`)
    await page.getByRole('dialog', { name: 'Request' }).getByText(id).first().waitFor()
    await settle(page)
  }
  const record = async (endUser: string) =>
    addRecording(fixture, { requestId: await fixture.addRequest(), endUser, request })

  test('an owner enables recording for one key, and then for all', async () => {
    const { page, close, complaints } = await openAs('u_owen')
    await openAccount(page)
    await see(page, 'Nothing')
    expect(await page.getByRole('button', { name: 'Export' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Recording settings' })
    await form.getByLabel('The requests of chosen keys').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await see(page, 'Select at least one key.')
    await form.getByRole('combobox', { name: 'Recorded keys' }).click()
    await page.getByRole('option', { name: 'Laptop', exact: true }).click()
    await page.keyboard.press('Tab')
    await form.getByLabel('Owners, and members for their own keys').check()
    await form.getByLabel('Retention in days').fill('7')
    await settle(page)
    expect(await seriousIssues(page)).toEqual([])
    await form.getByRole('button', { name: 'Save' }).click()
    await see(page, 'The requests of 1 key')
    await see(page, 'Deleted after 7 days.')
    expect(await policy()).toMatchObject({
      scope: 'keys',
      keyIds: ['key_a1'],
      readers: 'own-keys',
      isOpenToOperators: false,
      retentionDays: 7,
    })
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await form.getByLabel('All requests').check()
    fixture.passTime(staleMs)
    try {
      await form.getByRole('button', { name: 'Save' }).click()
      const proof = page.getByRole('dialog', { name: 'Confirm your identity' })
      await proof.waitFor()
      expect((await policy()).scope).toBe('keys')
      await proof.getByLabel('Password').fill(annPassword)
      await proof.getByRole('button', { name: 'Continue' }).click()
      await see(page, 'All requests')
      await form.waitFor({ state: 'hidden' })
      expect((await policy()).scope).toBe('all')
    } finally {
      fixture.passTime(-staleMs)
    }
    expect(complaints.filter((text) => !text.includes('403'))).toEqual([])
    await close()
  })

  test('an owner reads a recording after confirming their identity, and downloads it', async () => {
    await setPolicy(fixture, { scope: 'all', readers: 'owners' })
    const id = await record('ann')
    const { page, close } = await openAs('u_owen')
    await openRequest(page, id)
    expect(await page.content()).not.toContain('12345678901234567890')
    const panel = page.getByRole('dialog', { name: 'Request' })
    fixture.passTime(staleMs)
    try {
      await panel.getByRole('button', { name: 'Show content' }).click()
      const proof = page.getByRole('dialog', { name: 'Confirm your identity' })
      await proof.getByLabel('Password').fill(annPassword)
      await proof.getByRole('button', { name: 'Continue' }).click()
      await see(page, 'End-user ID: ann')
    } finally {
      fixture.passTime(-staleMs)
    }
    const body = panel.getByRole('region', { name: /Request body/ })
    expect(await body.locator('.code-block').textContent()).toBe(shownRequest)
    expect(await body.getByText('Truncated').count()).toBe(0)
    await panel
      .getByRole('region', { name: /Response body/ })
      .getByText('Truncated')
      .waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      body.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`${id}-request.json`)
    expect(await text(await download.createReadStream())).toBe(request)
    await openRequest(page, fixture.seeded.acmeRequestIds[0] ?? '')
    expect(await page.getByText('Recorded request and response').count()).toBe(0)
    await close()
  })

  test.each(['u_ann', 'u_root'])('%s, who may not read, sees no recording', async (user) => {
    await setPolicy(fixture, { scope: 'all', readers: 'owners', isOpenToOperators: false })
    const id = await record('ann')
    const { page, close, complaints } = await openAs(user)
    await openRequest(page, id)
    expect(await page.getByText('Recorded request and response').count()).toBe(0)
    await openAccount(page)
    await see(page, 'All requests')
    for (const name of ['Change', 'Export']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
    }
    const isOperator = user === 'u_root'
    expect(await page.getByRole('button', { name: 'Erase…' }).count()).toBe(isOperator ? 1 : 0)
    // The page tells an administrator how to get the permission, and tells other members nothing.
    expect(await page.getByText('make yourself an owner').count()).toBe(isOperator ? 1 : 0)
    expect(complaints).toEqual([])
    await close()
  })

  test('a member reads the recordings of their own keys if the owners allow it', async () => {
    await setPolicy(fixture, { scope: 'all', readers: 'own-keys' })
    const id = await record('ann')
    const { page, close, complaints } = await openAs('u_ann')
    await openRequest(page, id)
    await page.getByRole('button', { name: 'Show content' }).click()
    await see(page, 'End-user ID: ann')
    expect(complaints).toEqual([])
    await close()
  })

  test('an owner exports and erases the recordings of one end user', async () => {
    await setPolicy(fixture, { scope: 'all', readers: 'owners' })
    await fixture.engine.db.deleteFrom('recording').execute()
    const kept = await record('bob')
    const gone = [await record('carol'), await record('carol')]
    const { page, close, complaints } = await openAs('u_owen')
    await openAccount(page)
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const exporting = page.getByRole('dialog', { name: 'Export recordings' })
    await exporting.getByLabel('End-user ID').fill('carol')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      exporting.getByRole('button', { name: 'Export', exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe('recordings.ndjson')
    const lines = (await text(await download.createReadStream())).trim().split('\n')
    const ids = lines.map((line) => (JSON.parse(line) as { requestId: string }).requestId)
    expect(ids.toSorted()).toEqual(gone.toSorted())
    await exporting.waitFor({ state: 'hidden' })

    await page.getByRole('button', { name: 'Erase…' }).click()
    const erasing = page.getByRole('dialog', { name: 'Erase by end-user ID' })
    await erasing.getByLabel('End-user ID').fill('carol')
    await erasing.getByRole('button', { name: 'Erase recordings' }).click()
    const question = page.getByRole('dialog', { name: 'Erase all recordings of “carol”?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect((await recordedIds()).length).toBe(3)
    await erasing.getByRole('button', { name: 'Erase recordings' }).click()
    await question.getByRole('button', { name: 'Erase recordings' }).click()
    await see(page, '2 recordings erased.')
    expect(await recordedIds()).toEqual([kept])
    expect(complaints).toEqual([])
    await close()
  })
})
