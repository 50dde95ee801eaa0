import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { findToken } from '../../../src/admin-tokens/find-token.ts'
import { annPassword } from '../../support/console/console-seed.ts'
import { eventually } from '../../support/eventually.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, visit } from '../page/open-browser.ts'
import { goTo, heading, see, settle } from '../page/page-steps.ts'
import { stateOf } from '../page/signed-in.ts'

const staleMs = 6 * 60_000

browserSuite('admin tokens in Chromium', (chromiumPath) => {
  let fixture: BuiltFixture
  let browser: Browser

  beforeAll(async () => {
    fixture = await openBuiltFixture()
    browser = await launchBrowser(chromiumPath)
  })
  afterEach(() => fixture.engine.db.deleteFrom('admin_token').execute())
  afterAll(async () => {
    await browser?.close()
    await fixture?.close()
  })

  const openAs = async (user: string) =>
    openPage(browser, fixture.url, { storageState: stateOf(await fixture.signIn(user)) })
  const panel = (page: Page) => page.getByRole('dialog').first()
  const shownValue = async (page: Page) =>
    (await panel(page).getByLabel('Token', { exact: true }).textContent()) ?? ''
  const isGood = async (value: string) => {
    const presented = { value, address: '10.1.2.3', nowMs: fixture.nowMs() }
    return (await findToken(fixture.engine, fixture.vault, presented)).isGood
  }
  const rows = () => fixture.engine.db.selectFrom('admin_token').selectAll().execute()

  test('an operator creates a token for the gateway, sees its value once, and revokes it', async () => {
    const { page, close, complaints } = await openAs('u_root')
    await visit(page, '/console/')
    await heading(page, 'Overview')
    await goTo(page, 'Admin tokens')
    await see(page, 'No tokens yet')
    const example = await page.locator('.code-block').textContent()
    expect(example).toBe(
      `curl '${fixture.url}/admin/v1/keys' \\\n  -H "Authorization: Bearer $TOLLGATE_TOKEN"`,
    )

    await page.getByRole('button', { name: 'New token' }).click()
    const form = panel(page)
    await form.getByRole('button', { name: 'Create token' }).click()
    await see(page, 'Enter a name of 1 to 200 characters.')
    await see(page, 'Choose at least one scope.')
    await form.getByLabel('Name', { exact: true }).fill('Nightly backup')
    // The scope `all` includes the others, and deselecting it deselects them.
    await form.getByLabel('Everything', { exact: true }).check()
    expect(await form.getByLabel('Keys', { exact: true }).isChecked()).toBe(true)
    expect(await form.getByLabel('Keys', { exact: true }).isDisabled()).toBe(true)
    await form.getByLabel('Everything', { exact: true }).uncheck()
    expect(await form.getByRole('checkbox', { checked: true }).count()).toBe(0)
    await form.getByLabel('Usage', { exact: true }).check()
    await form.getByLabel('Money', { exact: true }).check()
    await form.getByText('Never', { exact: true }).click()
    await form.getByRole('button', { name: 'Create token' }).click()

    await see(page, 'Token created')
    const value = await shownValue(page)
    expect(await isGood(value)).toBe(true)
    expect(await form.locator('.code-block').textContent()).toBe(
      `curl '${fixture.url}/admin/v1/usage/totals' \\\n  -H "Authorization: Bearer ${value}"`,
    )
    await form.getByRole('button', { name: 'Copy' }).first().click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(value)
    const [made] = await rows()
    expect(made).toMatchObject({
      scopes: '["money","usage"]',
      account_id: null,
      expires_at: null,
      addresses: null,
      maker_id: 'u_root',
    })

    await form.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await page.content()).not.toContain(value)
    await page.reload()
    await page.getByRole('button', { name: 'Open Nightly backup' }).click()
    for (const fact of ['Whole gateway', 'root@example.com', 'Never used']) {
      await panel(page).getByText(fact, { exact: true }).waitFor()
    }
    expect(await page.content()).not.toContain(value)

    await panel(page).getByRole('button', { name: 'Revoke' }).click()
    const question = page.getByRole('dialog', { name: 'Revoke Nightly backup?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await isGood(value)).toBe(true)
    await panel(page).getByRole('button', { name: 'Revoke' }).click()
    await question.getByRole('button', { name: 'Revoke' }).click()
    await see(page, 'Nightly backup revoked.')
    expect(await isGood(value)).toBe(false)
    const row = page.getByRole('row').nth(1)
    await row.getByText('Revoked', { exact: true }).filter({ visible: true }).waitFor()
    await row.getByRole('button', { name: 'Open Nightly backup' }).click()
    await panel(page).getByText('Whole gateway').waitFor()
    expect(await panel(page).getByRole('button', { name: 'Revoke' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  test('an owner creates a token for the account after confirming their identity', async () => {
    const { page, close } = await openAs('u_owen')
    await visit(page, '/console/account?account=acme')
    await page.getByRole('link', { name: 'Manage tokens' }).click()
    await heading(page, 'Admin tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    const form = page.getByRole('dialog', { name: 'New token' })
    await form.getByLabel('Name', { exact: true }).fill('Deploys')
    // The account is fixed, so the form has no field for it.
    expect(await form.getByText('Whole gateway').count()).toBe(0)
    await form.getByLabel('Keys', { exact: true }).check()
    await form.getByRole('switch', { name: 'Restrict IP addresses' }).press('Space')
    await form.getByRole('button', { name: 'Create token' }).click()
    await see(page, 'Add at least one IP address or network.')
    await form.getByLabel('Allowed IP addresses and networks').first().fill('10.0.0.0/8')
    await page.keyboard.press('Enter')

    fixture.passTime(staleMs)
    try {
      await form.getByRole('button', { name: 'Create token' }).click()
      const proof = page.getByRole('dialog', { name: 'Confirm your identity' })
      await proof.waitFor()
      await page.keyboard.press('Escape')
      await proof.waitFor({ state: 'hidden' })
      expect(await rows()).toEqual([])
      await form.getByRole('button', { name: 'Create token' }).click()
      await proof.getByLabel('Password').fill(annPassword)
      await proof.getByRole('button', { name: 'Continue' }).click()
      await see(page, 'Token created')
      expect(await isGood(await shownValue(page))).toBe(true)
      const made = await rows()
      // The form was sent once: the dialog's button does not also submit the form.
      expect(made).toMatchObject([
        { account_id: 'acme', scopes: '["keys"]', addresses: '["10.0.0.0/8"]', maker_id: 'u_owen' },
      ])
      const days = ((made[0]?.expires_at ?? 0) - Date.now()) / 86_400_000
      expect(Math.round(days)).toBe(90)
    } finally {
      fixture.passTime(-staleMs)
    }
    await close()
  })

  test('an operator chooses an account, and an error appears at its field', async () => {
    const { page, close } = await openAs('u_root')
    await visit(page, '/console/operate/tokens?token=new')
    const form = page.getByRole('dialog', { name: 'New token' })
    await form.getByLabel('Name', { exact: true }).fill('For Globex')
    await form.getByText('One account', { exact: true }).click()
    await form.getByLabel('Read only', { exact: true }).check()
    await form.getByRole('button', { name: 'Create token' }).click()
    await form.getByText('Choose an account').first().waitFor()
    await form.getByRole('combobox', { name: 'Account' }).click()
    await page.getByRole('option', { name: 'Globex', exact: true }).click()
    await fixture.engine.db.insertInto('admin_token').values(manyTokens()).execute()
    await form.getByRole('button', { name: 'Create token' }).click()
    await form.getByRole('alert').getByText('There are already 1,000 valid tokens.').waitFor()
    await fixture.engine.db.deleteFrom('admin_token').execute()
    await form.getByRole('button', { name: 'Create token' }).click()
    await see(page, 'Token created')
    expect(await rows()).toMatchObject([{ account_id: 'globex', scopes: '["read"]' }])
    await close()
  })

  test('the list shows who created a token, when and from where it was used, and whether it is still valid', async () => {
    await fixture.engine.db.insertInto('admin_token').values(namedTokens(fixture.nowMs())).execute()
    const { page, close } = await openAs('u_owen')
    await visit(page, '/console/tokens?account=acme')
    await page.getByRole('row').nth(4).waitFor()
    const texts = await eventually('the table is there', async () => {
      const found = await page.getByRole('row').allInnerTexts()
      return found.length === 5 ? found.map((text) => text.replace(/\s+/g, ' ')) : undefined
    })
    const told = [
      ['Used', 'Active', 'owen@example.com', '10.1.2.3', 'Keys', 'Usage'],
      ['Over', 'Expired', 'Command line', 'Never used'],
      ['Ended', 'Revoked', 'Everything'],
      ['Left alone', 'Creator lost access', 'ann@example.com'],
    ]
    for (const [name = '', ...facts] of told) {
      const row = texts.find((text) => text.startsWith(name)) ?? ''
      for (const fact of facts) expect([name, row]).toEqual([name, expect.stringContaining(fact)])
    }
    expect(texts.join()).not.toContain('Of the gateway')
    await page.getByRole('button', { name: 'Open Left alone' }).click()
    await see(page, /so the gateway rejects the token/)
    await close()
  })

  test('a member sees no token page and is redirected', async () => {
    const { page, close, complaints } = await openAs('u_ann')
    await visit(page, '/console/account?account=acme')
    await see(page, 'Members of Acme Robotics')
    await settle(page)
    expect(await page.getByText('Admin tokens').count()).toBe(0)
    for (const path of ['/tokens', '/tokens?account=acme&token=new', '/operate/tokens']) {
      await visit(page, `/console${path}`)
      await page.waitForURL(({ pathname }) => pathname === '/console/')
      await heading(page, 'Overview')
    }
    expect(complaints).toEqual([])
    await close()
  })
})

const row = {
  value_hint: 'tgat_…abcd',
  scopes: '["keys","usage"]',
  account_id: 'acme' as string | null,
  made_by: 'cli',
  created_at: 1,
}

/** The maximum number of tokens of one account. */
function manyTokens() {
  return Array.from({ length: 1_000 }, (_, index) => ({
    ...row,
    id: `tok_${index}`,
    name: `Token ${index}`,
    value_hash: `hash ${index}`,
    account_id: 'globex',
  }))
}

/** One in each state, and one that an owner does not see. */
function namedTokens(nowMs: number) {
  const owen = { made_by: 'u_owen', maker_id: 'u_owen' }
  const ann = { made_by: 'u_ann', maker_id: 'u_ann' }
  return [
    { name: 'Used', ...owen, used_at: nowMs - 60_000, used_address: '10.1.2.3' },
    { name: 'Over', expires_at: nowMs - 1 },
    { name: 'Ended', ...owen, scopes: '["all"]', revoked_at: nowMs },
    { name: 'Left alone', ...ann },
    { name: 'Of the gateway', account_id: null },
  ].map((more, index) => ({ ...row, id: `tok_${index}`, value_hash: `hash ${index}`, ...more }))
}
