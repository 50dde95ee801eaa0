import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import type { LedgerFinding } from '../../../src/ledger/audit/finding-line.ts'
import { noteBackup } from '../../../src/store/backup/last-backup.ts'
import { noteFailing } from '../../../src/store/secrets/noted-secrets.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, type StorageState, visit } from '../page/open-browser.ts'
import { stateOf } from '../page/signed-in.ts'

const findings: readonly LedgerFinding[] = [
  { kind: 'credit', id: 'acme', differenceNano: 1_500_000_000n },
  { kind: 'quota', id: 'key_a1', differenceNano: -1n },
  { kind: 'entries', id: 'key_a2', differenceNano: 250_000_000n },
]
const lineOfBefore = 'a line of another version'

const languages = [
  [
    'en-US',
    [
      'Account acme: credits differ by $1.50 from',
      'Key key_a1: the quota differs by −$0.000000001 from',
      'Key key_a2: the amount spent differs by $0.25 from',
    ],
  ],
  [
    'zh-CN',
    [
      '账户 acme：充值总额与可用、租用、已消费之和相差 $1.50。',
      '密钥 key_a1：额度与可用、租用、已消费之和相差 −$0.000000001。',
      '密钥 key_a2：已消费金额与明细合计相差 $0.25。',
    ],
  ],
] as const

browserSuite('findings of the self-audit in Chromium', (chromiumPath) => {
  let fixture: BuiltFixture
  let browser: Browser
  let storageState: StorageState

  beforeAll(async () => {
    fixture = await openBuiltFixture()
    const stop = { found_at: Date.now(), findings: lineOfBefore, released_at: null }
    await fixture.engine.db
      .insertInto('audit_stop')
      .values(['acme', 'globex'].map((id) => ({ ...stop, account_id: id })))
      .execute()
    await fixture.engine.db
      .insertInto('audit_finding')
      .values(
        findings.map(({ kind, id, differenceNano }) => ({
          account_id: 'acme',
          kind,
          subject: id,
          difference_nano: differenceNano,
        })),
      )
      .execute()
    browser = await launchBrowser(chromiumPath)
    storageState = stateOf(await fixture.signIn('u_root'))
  })
  afterAll(async () => {
    await browser?.close()
    await fixture?.close()
  })

  test.each(languages)('are shown in %s', async (locale, said) => {
    const { page, close, complaints } = await openPage(browser, fixture.url, {
      locale,
      storageState,
    })
    for (const path of ['/operate/system', '/operate/accounts?open=acme']) {
      await visit(page, `/console${path}`)
      for (const text of said) await page.getByText(text).first().waitFor()
    }
    await visit(page, '/console/operate/accounts?open=globex')
    await page.getByText(lineOfBefore).first().waitFor()
    expect(await page.getByText('US$').count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  test('the system page shows the last backup and secrets that could not be read again', async () => {
    const { page, close, complaints } = await openPage(browser, fixture.url, { storageState })
    await visit(page, '/console/operate/system')
    await page.getByText('None made with “tollgate backup”').waitFor()
    expect(await page.getByText('Some secrets could not be read again').count()).toBe(0)
    const atMs = Date.now()
    await fixture.engine.db
      .insertInto('replica')
      .values({ id: 'r1', epoch: 1, seen_at: atMs, lived_epoch: 1, settled_epoch: null })
      .execute()
    await noteFailing(fixture.engine, 'r1', [
      { name: 'secret', sinceMs: atMs, why: 'file is gone' },
    ])
    await noteBackup(fixture.engine.db, fixture.nowMs() - 2 * 60 * 60_000)
    await page.reload()
    await page.getByText(/secret on r1, first failure .*: file is gone/).waitFor()
    await page.getByText(/ · 2 hours ago/).waitFor()
    expect(complaints).toEqual([])
    await close()
  })
})
