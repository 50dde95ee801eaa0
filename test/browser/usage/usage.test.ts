import { afterAll, beforeAll, expect, test } from 'bun:test'
import { text } from 'node:stream/consumers'
import type { Browser } from 'playwright-core'
import { csvColumns, type UsageAnswer, type UsageRow } from '../../../src/console-api/contract.ts'
import { parseDollars } from '../../../src/core/money/money.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import {
  launchBrowser,
  openPage,
  phone,
  type StorageState,
  showAs,
  visit,
} from '../page/open-browser.ts'
import { choose, goTo, heading, see } from '../page/page-steps.ts'
import { stateOf } from '../page/signed-in.ts'

browserSuite('usage in Chromium', (chromiumPath) => {
  let fixture: BuiltFixture
  let browser: Browser
  let signedIn: StorageState

  beforeAll(async () => {
    fixture = await openBuiltFixture()
    browser = await launchBrowser(chromiumPath)
    signedIn = stateOf(await fixture.signIn('u_owen'))
  })
  afterAll(async () => {
    await browser?.close()
    await fixture?.close()
  })

  async function openUsage(search = '') {
    const opened = await openPage(browser, fixture.url, { storageState: signedIn })
    await visit(opened.page, `/console/usage${search}`)
    await heading(opened.page, 'Usage')
    await opened.page.getByRole('row').nth(3).waitFor()
    return opened
  }

  /** Filters of the URL, each with the rows of the log that it selects. */
  const filters: readonly [string, (row: UsageRow) => boolean][] = [
    ['?period=all&status=ok', ({ status }) => status < 400],
    ['?period=all&status=404', ({ status }) => status === 404],
    ['?period=all&model=gpt-x', ({ model }) => model === 'gpt-x'],
    ['?period=all&status=error&stream=false', ({ status, isStream }) => status >= 400 && !isStream],
    ['?period=all&minCost=0.000001', ({ costNano }) => BigInt(costNano) >= 1_000n],
  ]
  test.each(filters)(
    'with the filter %s the CSV file has the rows and costs of the log',
    async (search, isMeant) => {
      const { page, close } = await openUsage(search)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: /CSV/ }).click(),
      ])
      const [header = '', ...lines] = (await text(await download.createReadStream()))
        .trim()
        .split('\r\n')
      expect(header.split(',')).toEqual([...csvColumns])
      const all = await readLog()
      const log = all.filter(isMeant)
      expect(log.length).toBeGreaterThan(0)
      expect(log.length).toBeLessThan(all.length)
      expect(lines.map((line) => line.split(',')[0])).toEqual(log.map(({ requestId }) => requestId))
      const costAt = csvColumns.indexOf('cost_usd')
      const costs = lines.map((line) => String(parseDollars(line.split(',')[costAt] ?? '')))
      expect(costs).toEqual(log.map(({ costNano }) => costNano))
      await close()
    },
  )

  async function readLog(): Promise<UsageRow[]> {
    const cookie = await fixture.signIn('u_owen')
    const log: UsageRow[] = []
    for (let next: string | null = ''; next !== null; ) {
      const query: string = next === '' ? '' : `?before=${next}`
      const response = await fixture.get(`/console/api/usage${query}`, { cookie })
      const answer = (await response.json()) as UsageAnswer
      log.push(...answer.rows)
      next = answer.next
    }
    return log
  }

  test('filters apply to the rows, the sums and the URL, and the URL shows another person the same', async () => {
    const { page, close, complaints } = await openUsage()
    await choose(page, 'Status', 'Failed')
    await page.getByText('Model not found').first().waitFor({ state: 'attached' })
    await see(page, '100% of requests')
    expect(new URL(page.url()).searchParams.get('status')).toBe('error')
    await page.reload()
    await see(page, '100% of requests')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await see(page, '17% of requests')

    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Min cost, US$').fill('99')
    await see(page, 'No requests match this filter')
    expect(complaints).toEqual([])
    await close()
  })

  test('an owner of the account sees the requests of one member', async () => {
    const team = await openBuiltFixture()
    const { db } = team.engine
    const own = (key: string, owner_user_id: string) =>
      db.updateTable('api_key').set({ owner_user_id }).where('id', '=', key).execute()
    const ofAcme = db.selectFrom('usage_row').select('key_id').where('account_id', '=', 'acme')
    const { key_id: first } = await ofAcme.limit(1).executeTakeFirstOrThrow()
    const { id: unused } = await db
      .selectFrom('api_key')
      .select('id')
      .where('account_id', '=', 'acme')
      .where('id', 'not in', ofAcme)
      .limit(1)
      .executeTakeFirstOrThrow()
    await own(first, 'u_ann')
    await own(unused, 'u_owen')
    const storageState = stateOf(await team.signIn('u_owen'))
    const { page, close, complaints } = await openPage(browser, team.url, { storageState })
    await visit(page, '/console/usage?period=all')
    await page.getByRole('button', { name: 'Filters' }).click()
    await choose(page, 'Owner of the key', 'owen@example.com')
    await see(page, 'No requests match this filter')
    await choose(page, 'Owner of the key', 'ann@example.com')
    await page.waitForURL(/user=u_ann/)
    await see(page, '17% of requests')
    await visit(page, `/console/usage?period=all&open=${team.seeded.acmeRequestIds[0]}`)
    await page.getByRole('dialog').getByText('ann@example.com').waitFor()
    expect(complaints).toEqual([])
    await close()
    await team.close()
  })

  test('a log that is longer than a page shows its older requests when asked', async () => {
    const long = await openBuiltFixture({ requestCount: 60 })
    const storageState = stateOf(await long.signIn('u_owen'))
    const { page, close, complaints } = await openPage(browser, long.url, { storageState })
    const oldest = page.getByRole('button', {
      name: `Show request ${long.seeded.acmeRequestIds[59]}`,
    })
    await visit(page, '/console/usage?period=all')
    const more = page.getByRole('button', { name: 'Load more' })
    await more.waitFor()
    expect(await oldest.count()).toBe(0)
    await more.click()
    await oldest.waitFor()
    expect(await more.count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
    await long.close()
  })

  test('on a phone the filters open with every dropdown closed, and stay open after a choice', async () => {
    const opened = await openPage(browser, fixture.url, { storageState: signedIn, viewport: phone })
    const { page, close, complaints } = opened
    await visit(page, '/console/usage?period=all')
    await heading(page, 'Usage')
    await page.getByRole('button', { name: 'Filters' }).click()
    const filters = page.getByRole('group', { name: 'Filters' })
    await filters.and(page.locator(':focus')).waitFor()
    expect(await page.getByRole('option').filter({ visible: true }).count()).toBe(0)
    await filters.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Failed', exact: true }).click()
    await page.waitForURL(/status=error/)
    await filters.waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('a request is found by the start of its id and opens with all its details', async () => {
    const { page, close, complaints } = await openUsage()
    const id = fixture.seeded.acmeRequestIds[0] ?? ''
    await page.getByLabel('Request ID').fill(id.slice(0, 20))
    await page.getByRole('button', { name: `Show request ${id}` }).click()
    const detail = page.getByRole('dialog', { name: 'Request' })
    for (const text of [
      'Cache read',
      'Total, rounded up',
      'Group factor × 1.5',
      'overloaded',
      '– next attempt follows',
      'temperature: removed',
      'Attempt 1',
      '203.0.113.7',
    ]) {
      await detail.getByText(text).first().waitFor()
    }
    // On a phone, no amount is cut off.
    await showAs(page, { viewport: phone })
    const { x = 0, width = 0 } = (await detail.getByText('Amount').boundingBox()) ?? {}
    expect(width).toBeGreaterThan(0)
    expect(x + width).toBeLessThanOrEqual(phone.width)
    await showAs(page, {})
    // Ann is a member, so the upstream is not shown.
    expect(await detail.getByText('up-0').count()).toBe(0)
    expect(new URL(page.url()).searchParams.get('open')).toBe(id)
    await page.keyboard.press('Escape')
    await detail.waitFor({ state: 'hidden' })
    expect(complaints).toEqual([])
    await close()
  })

  test('new requests appear automatically, unless the log is paused', async () => {
    const { page, context, close } = await openUsage()
    const live = page.getByRole('button', { name: 'Live' })
    expect(await live.getAttribute('aria-pressed')).toBe('true')
    const newest = await fixture.addRequest()
    await page.getByRole('button', { name: `Show request ${newest}` }).waitFor()
    await live.click()
    await page.getByRole('button', { name: 'Paused' }).click()
    await page.getByRole('button', { name: 'Live' }).waitFor()

    // Without a connection the log is not shown as live, and no click leaves the console.
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Not updating' }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Playground' }).click()
    await see(page, 'The gateway is not responding.')
    await page.getByRole('button', { name: 'Try again' }).click()
    await see(page, 'The gateway is not responding.')
    await context.setOffline(false)
    // The page may detect the lost connection before the click; then the button is gone.
    const again = page.getByRole('button', { name: 'Try again' })
    const shown = page.getByRole('heading', { name: 'Playground', level: 1 })
    await again.or(shown).first().waitFor()
    if (await again.isVisible()) await again.click({ timeout: 5_000 }).catch(() => undefined)
    await heading(page, 'Playground')
    await goTo(page, 'Overview')

    // Pages of the operator, and the set-up, redirect a member.
    await page.goto('/console/setup')
    await heading(page, 'Overview')
    await close()
  })
})
