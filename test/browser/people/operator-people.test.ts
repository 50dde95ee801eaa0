import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../support/eventually.ts'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { type OperatorFixture, openOperatorFixture } from '../gateways/operator-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { visit } from '../page/open-browser.ts'
import { goTo, heading, see } from '../page/page-steps.ts'

browserSuite('groups, accounts, users and the audit log in Chromium', (chromiumPath) => {
  cleanUpAfterwards()
  let fixture: OperatorFixture
  beforeAll(async () => {
    fixture = await openOperatorFixture(chromiumPath)
  })
  afterAll(() => fixture?.close())

  const codeOf = async () => {
    const response = await fixture.ask('gpt-x')
    const body = (await response.json()) as { error?: { code: string } }
    return body.error?.code ?? 'answered'
  }

  test('a group restricted to other accounts rejects requests until it is granted', async () => {
    const { page, close, complaints } = await fixture.open()
    expect(await codeOf()).toBe('answered')
    await visit(page, '/console/operate/groups')
    await page.getByRole('button', { name: 'Open group default' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByRole('switch', { name: 'Restrict to specific accounts' }).check()
    await panel.getByText('No account can use this group yet').waitFor()
    await panel.getByRole('combobox', { name: 'Add account' }).click()
    await page.getByRole('option', { name: /Globex/ }).click()
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.waitFor({ state: 'hidden' })
    await page.getByRole('cell', { name: 'Accounts: 1', exact: true }).waitFor()
    await eventually('others are refused', async () => (await codeOf()) === 'group_not_allowed')

    await page.getByRole('button', { name: 'Open group default' }).click()
    await panel.getByLabel('Price factor').fill('1,5')
    await panel.getByRole('combobox', { name: 'Add account' }).click()
    await page.getByRole('option', { name: /Acme/ }).click()
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.getByText(/Enter a factor such as 1.5/).waitFor()
    await panel.getByLabel('Price factor').fill('1.5')
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.waitFor({ state: 'hidden' })
    await see(page, '× 1.5')
    await eventually('the grant is in force', async () => (await codeOf()) === 'answered')
    expect(complaints).toEqual([])
    await close()
  })

  test('an account is created, credited with a reason, suspended and resumed', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/operate/accounts')
    await page.getByRole('button', { name: 'New account' }).click()
    const panel = page.getByRole('dialog').first()
    await panel.getByLabel('Account ID').fill('initech')
    await panel.getByLabel('Name', { exact: true }).fill('Initech')
    await panel.getByLabel('Initial credit').fill('5')
    await panel.getByRole('button', { name: 'Create account' }).click()
    await page
      .getByRole('dialog', { name: 'Grant $5.00 to Initech?' })
      .getByRole('button', { name: 'Grant credit' })
      .click()
    await panel.getByLabel('Reason').fill('Invoice 7')
    await panel.getByLabel('Amount').fill('0')
    await panel.getByRole('button', { name: 'Grant credit' }).click()
    await panel.getByText(/greater than zero/).waitFor()
    await panel.getByLabel('Amount').fill('2.000000001')
    await panel.getByRole('button', { name: 'Grant credit' }).click()
    const grant = page.getByRole('dialog', { name: 'Grant $2.000000001 to Initech?' })
    await grant.getByText('Available credit: $5.00 now, $7.000000001 after this change.').waitFor()
    await page.keyboard.press('Escape')
    await grant.waitFor({ state: 'hidden' })
    expect(await panel.getByText('Invoice 7').count()).toBe(0)
    await panel.getByRole('button', { name: 'Grant credit' }).click()
    await grant.getByRole('button', { name: 'Grant credit' }).click()
    await panel.getByText('Invoice 7').waitFor()
    await panel
      .getByRole('row', { name: /Available/ })
      .getByText('$7.000000001')
      .waitFor()

    await panel.getByRole('button', { name: 'Reverse Invoice 7' }).click()
    const reversal = page.getByRole('dialog', { name: 'Reverse “Invoice 7” of $2.000000001?' })
    await reversal
      .getByText('Available credit: $7.000000001 now, $5.00 after this change.')
      .waitFor()
    await reversal.getByRole('button', { name: 'Reverse' }).click()
    await panel.getByText('Reversal: Invoice 7').waitFor()
    await panel.getByLabel('Reason').fill('Typo')
    await panel.getByLabel('Amount').fill('-6000')
    await panel.getByRole('button', { name: 'Deduct credit' }).click()
    const correction = page.getByRole('dialog', { name: 'Deduct $6,000.00 from Initech?' })
    await correction.getByText(/Only \$5.00 is available/).waitFor()
    // What is impossible has no button.
    expect(await correction.getByRole('button', { name: 'Deduct credit' }).count()).toBe(0)
    await correction.getByRole('button', { name: 'Close' }).last().click()
    await panel.getByLabel('Amount').fill('-1')
    await panel.getByRole('button', { name: 'Deduct credit' }).click()
    await page
      .getByRole('dialog', { name: 'Deduct $1.00 from Initech?' })
      .getByRole('button', { name: 'Deduct credit' })
      .click()
    await panel
      .getByRole('row', { name: /Available/ })
      .getByText('$4.00')
      .waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Open account Acme Robotics' }).click()
    await panel.getByRole('tab', { name: 'Settings' }).click()
    await panel.getByRole('button', { name: 'Suspend' }).click()
    await page
      .getByRole('dialog', { name: 'Suspend Acme Robotics?' })
      .getByRole('button', { name: 'Suspend' })
      .click()
    await see(page, 'Account suspended.')
    await eventually('its keys are refused', async () => (await codeOf()) === 'account_suspended')
    await panel.getByRole('button', { name: 'Resume' }).click()
    await see(page, 'Account resumed.')
    await eventually('its keys work again', async () => (await codeOf()) === 'answered')
    expect(complaints).toEqual([])
    await close()
  })

  test('the members of an account lead to the page that adds people and sets their caps', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/operate/accounts?open=globex')
    const panel = page.getByRole('dialog')
    await panel.getByRole('tab', { name: 'Members' }).click()
    await panel.getByText('No members. Only administrators can see this account.').waitFor()
    await panel.getByRole('link', { name: 'Manage members and their limits' }).click()
    await heading(page, 'Account')
    await page.getByPlaceholder('Email').fill('cap@example.com')
    await page.getByRole('button', { name: 'Add member' }).click()
    await see(page, 'cap@example.com is now a member.')
    await page.getByRole('button', { name: 'Limits: cap@example.com' }).click()
    await panel.getByLabel('Monthly budget').fill('20')
    await panel.getByRole('button', { name: 'Save' }).click()
    await see(page, 'This month: $0.00 of $20.00, $20.00 left')
    expect(complaints).toEqual([])
    await close()
  })

  test('a credit whose response was lost is shown, and another amount is not granted instead', async () => {
    const { page, close } = await fixture.open()
    await visit(page, '/console/operate/accounts')
    await page.getByRole('button', { name: 'Open account Globex' }).click()
    const panel = page.getByRole('dialog').first()
    const grant = async (amount: string) => {
      await panel.getByLabel('Reason').fill('Invoice 8')
      await panel.getByLabel('Amount').fill(amount)
      await panel.getByRole('button', { name: 'Grant credit' }).click()
      await page
        .getByRole('dialog', { name: `Grant $${amount}.00 to Globex?` })
        .getByRole('button', { name: 'Grant credit' })
        .click()
    }
    const lose = async (route: Parameters<Parameters<typeof page.route>[1]>[0]) => {
      await route.fetch()
      await route.abort()
    }
    await page.route('**/credits?*', lose, { times: 1 })
    await grant('3')
    await panel.getByText('The gateway is not responding').waitFor()
    expect(await panel.getByText('Invoice 8').count()).toBe(0)
    await grant('4')
    await panel.getByText('An earlier attempt was successful: $3.00 for account “globex”').waitFor()
    await panel.getByText('Invoice 8').waitFor()
    await grant('4')
    await see(page, 'Credit granted.')
    await panel.getByText('Invoice 8').nth(1).waitFor()
    await close()
  })

  test('a new user signs in with the link, sees one account and no operator page', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/operate/accounts?view=users')
    await page.getByRole('button', { name: 'New user' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Email').fill('ann')
    await panel.getByRole('button', { name: 'Create user' }).click()
    await panel.getByText(/valid email address/).waitFor()
    await panel.getByLabel('Email').fill('ann@example.com')
    await panel.getByRole('combobox', { name: 'Add to an account' }).click()
    await page.getByRole('option', { name: /Globex/ }).click()
    await panel.getByRole('button', { name: 'Create user' }).click()
    await panel.getByText('Sign-in link for ann@example.com').waitFor()
    await panel.getByText(/works once, expires in 7 days/).waitFor()
    expect(await panel.getByText('The link was also sent by email.').count()).toBe(0)
    const link = (await panel.getByText(/sign-in\?first/).textContent()) ?? ''

    const ann = await fixture.openAnonymous()
    await ann.page.goto(link)
    await heading(ann.page, 'Set a password')
    await ann.page.getByRole('link', { name: 'Not now' }).click()
    await heading(ann.page, 'Overview')
    const navigation = ann.page.getByRole('navigation')
    await navigation.getByRole('link', { name: 'API keys' }).waitFor()
    expect(await navigation.getByRole('link', { name: 'Upstreams' }).count()).toBe(0)
    await ann.page.goto('/console/operate/upstreams')
    await heading(ann.page, 'Overview')
    expect(ann.complaints).toEqual([])
    await ann.close()

    await visit(page, '/console/operate/accounts?view=users')
    await page.getByRole('button', { name: 'Open user ann@example.com' }).click()
    await panel.getByRole('button', { name: 'Create sign-in link' }).click()
    await panel.getByText(/works once, expires in 1 hour/).waitFor()
    expect(await panel.getByText(/7 days/).count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  test('explain shows the checks, the order of attempts and the hold, and sends nothing', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/operate/explain')
    await page.getByRole('combobox', { name: 'Key' }).click()
    await page.getByRole('option', { name: /Caller/ }).click()
    const body = page.getByLabel('Request body')
    await body.fill(
      '{"model":"gpt-x","max_tokens":100,"messages":[{"role":"user","content":"Hi"}]}',
    )
    const before = fixture.one.requests.length + fixture.two.requests.length
    await page.getByRole('button', { name: 'Explain' }).click()
    await see(page, 'The request would be forwarded')
    await see(page, 'First upstream: one. Candidates: 2.')
    await see(page, 'A group of the key offers the model, with a price')
    await page.getByRole('row', { name: /Reserved/ }).waitFor()
    await body.fill('{"model":"gpt-nowhere","messages":[{"role":"user","content":"Hi"}]}')
    await page.getByRole('button', { name: 'Explain' }).click()
    await see(page, 'The request would be rejected with 404')
    expect(fixture.one.requests.length + fixture.two.requests.length).toBe(before)
    expect(complaints).toEqual([])
    await close()
  })

  test('the audit log shows who changed what, before and after', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/operate/audit')
    await heading(page, 'Audit log')
    await page.getByRole('combobox', { name: 'Action' }).click()
    await page.getByRole('option', { name: 'Groups' }).click()
    await page
      .getByRole('button', { name: /Group changed: default/ })
      .first()
      .click()
    const panel = page.getByRole('dialog', { name: 'Group changed' })
    await panel.getByText('group.changed').waitFor()
    const [field, before, after] = await panel
      .getByRole('row', { name: /Factor/ })
      .getByRole('cell')
      .allTextContents()
    expect([field, before, after]).toEqual(['Factor', '1', '1.5'])
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    expect(await page.getByText('Account changed').count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  test('the system page shows this process, the ledger and the client address', async () => {
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/')
    await heading(page, 'Overview')
    await goTo(page, 'System')
    for (const text of [
      'This replica',
      'Running',
      'You are connected directly',
      'Self-audit',
      'Open holds',
    ]) {
      await see(page, text)
    }
    expect(complaints).toEqual([])
    await close()
  })

  test('all usage shows the requests of every account', async () => {
    for (let count = 0; count < 2; count += 1) expect((await fixture.ask('gpt-x')).status).toBe(200)
    const { page, close, complaints } = await fixture.open()
    await visit(page, '/console/')
    await heading(page, 'Overview')
    await goTo(page, 'All usage')
    await page.getByRole('row').nth(2).waitFor()
    await see(page, 'Acme Robotics')
    expect(complaints).toEqual([])
    await close()
  })
})
