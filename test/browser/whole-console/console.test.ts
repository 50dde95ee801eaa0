import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { annPassword, secretValues } from '../../support/console/console-seed.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { loadedKilobytes } from '../page/loaded-kilobytes.ts'
import { launchBrowser, openPage, phone, visit } from '../page/open-browser.ts'
import { fillSignIn, goTo, heading, overflowPixels, see, settle } from '../page/page-steps.ts'
import { stateOf } from '../page/signed-in.ts'

const firstLoadKilobytesMax = 350

browserSuite('the console in Chromium', (chromiumPath) => {
  let fixture: BuiltFixture
  let browser: Browser

  beforeAll(async () => {
    fixture = await openBuiltFixture()
    browser = await launchBrowser(chromiumPath)
  })
  afterAll(async () => {
    await browser?.close()
    await fixture?.close()
  })

  const open = (options?: Parameters<typeof openPage>[2]) => openPage(browser, fixture.url, options)
  const openAs = async (user: string, options?: Parameters<typeof openPage>[2]) =>
    open({ ...options, storageState: stateOf(await fixture.signIn(user)) })

  test('the sign-in link opens the overview with a small first load; the list of keys has no values', async () => {
    const { page, close, complaints } = await open({ isCold: true })
    await page.goto(await fixture.signInPath('u_owen'))
    await heading(page, 'Overview')
    expect(page.url()).toBe(`${fixture.url}/console/`)
    await see(page, 'Available credit')
    await see(page, '$0.012345678')
    await settle(page)
    const { page: pageKilobytes, chart } = await loadedKilobytes(page)
    console.log(
      `first load ${pageKilobytes.toFixed(0)} KB compressed, the chart after it ${chart.toFixed(0)} KB`,
    )
    expect(pageKilobytes).toBeLessThan(firstLoadKilobytesMax)
    for (const text of ['What changed', 'Recent failures', 'Model not found']) await see(page, text)

    await goTo(page, 'API keys')
    for (const text of ['Laptop', 'Quota exhausted', 'Expired', 'Disabled', 'of $5.00']) {
      await see(page, text)
    }
    expect(await page.content()).not.toContain(secretValues.key)
    expect(complaints).toEqual([])
    await close()
  })

  test('language and theme survive a reload and apply in another browser', async () => {
    const { page, close, complaints } = await openAs('u_bob')
    await visit(page, '/console/')
    await heading(page, 'Overview')
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitem', { name: '中文' }).click()
    await heading(page, '概览')
    await page.getByRole('button', { name: '主题' }).click()
    await page.getByRole('menuitem', { name: '深色' }).click()
    await page.reload()
    await heading(page, '概览')
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark')
    // chinese.test.ts covers all other pages. These two show the failed requests.
    for (const name of ['API 密钥', '用量']) {
      await goTo(page, name)
      await settle(page)
      expect(await englishLines(page)).toEqual([])
    }
    expect(complaints).toEqual([])
    await close()

    const elsewhere = await openAs('u_bob')
    await visit(elsewhere.page, '/console/')
    await heading(elsewhere.page, '概览')
    await elsewhere.close()
  })

  test('no page is wider than a phone’s screen', async () => {
    const { page, close, complaints } = await openAs('u_owen', { viewport: phone })
    await visit(page, '/console/')
    await heading(page, 'Overview')
    // accessibility.test.ts checks that every page fits. This test only follows the menu there and back.
    for (const name of ['Usage', 'Overview']) {
      await page.getByRole('button', { name: 'Open menu' }).click()
      await goTo(page, name)
      await settle(page)
      expect([name, await overflowPixels(page)]).toEqual([name, 0])
    }
    await visit(page, `/console/usage?open=${fixture.seeded.acmeRequestIds[0]}`)
    await page.getByRole('dialog').getByText('overloaded').waitFor()
    expect(await overflowPixels(page)).toBe(0)
    await visit(page, '/console/keys?key=key_a2')
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Save changes' }).waitFor()
    expect(await overflowPixels(page)).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  test('an empty account shows what to do next', async () => {
    const { page, close, complaints } = await openAs('u_new')
    await visit(page, '/console/')
    await see(page, 'Create a key to get started')
    await goTo(page, 'API keys')
    await see(page, 'No keys yet')
    await goTo(page, 'Usage')
    await see(page, 'No requests yet')
    await goTo(page, 'Playground')
    await see(page, 'Create a key first')
    await goTo(page, 'Billing')
    await see(page, 'No spending in this period.')
    expect(complaints).toEqual([])
    await close()
  })

  test('a used link shows an error; the password signs in, out, and in again', async () => {
    const { page, close, complaints } = await open()
    const link = await fixture.signInPath('u_ann')
    await fixture.post('/console/api/sign-in-link', { body: { token: link.split('#')[1] } })
    await page.goto(link)
    await see(page, 'This link is no longer valid')
    await see(page, 'tollgate sign-in-link')
    await fillSignIn(page, 'ann@example.com', 'not the password')
    await see(page, 'Wrong email or password.')
    await fillSignIn(page, 'ann@example.com', annPassword)
    await heading(page, 'Overview')
    await page.getByRole('button', { name: 'Signed-in user' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading(page, 'Sign in')
    await fillSignIn(page, 'ann@example.com', annPassword)
    await heading(page, 'Overview')
    // The browser reports the two refusals that this test provokes, and no other error.
    expect(complaints.map((each) => /status of (\d+)/.exec(each)?.[1] ?? each)).toEqual([
      '410',
      '401',
    ])
    await close()
  })

  test('a page that needs a sign-in is shown after the sign-in, also when the session ends there', async () => {
    const { page, close } = await open()
    await page.goto('/console/usage?account=acme')
    await heading(page, 'Sign in')
    await fillSignIn(page, 'ann@example.com', annPassword)
    await heading(page, 'Usage')
    expect(page.url()).toEndWith('/console/usage?account=acme')
    await fixture.engine.db.deleteFrom('session').where('user_id', '=', 'u_ann').execute()
    await visit(page, '/console/keys')
    await heading(page, 'Sign in')
    await fillSignIn(page, 'ann@example.com', annPassword)
    await heading(page, 'API keys')
    // It is shown once, and to nobody who signs in after a sign-out.
    await goTo(page, 'Overview')
    await goTo(page, 'API keys')
    await page.getByRole('button', { name: 'Signed-in user' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading(page, 'Sign in')
    await fillSignIn(page, 'ann@example.com', annPassword)
    await heading(page, 'Overview')
    await close()
  })

  test('a key’s value is shown only after a recent sign-in or with the password', async () => {
    const { page, close } = await openAs('u_owen')
    fixture.passTime(6 * 60_000)
    await visit(page, '/console/keys?key=key_a1')
    const dialog = page.getByRole('dialog', { name: 'Laptop' })
    await dialog.getByLabel('Password', { exact: true }).fill('not the password')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('Wrong password.').waitFor()
    expect(await page.content()).not.toContain(secretValues.key)
    await dialog.getByLabel('Password', { exact: true }).fill(annPassword)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(secretValues.key).first().waitFor()
    await close()
  })

  test('an administrator sees all accounts and can select one', async () => {
    const { page, close, complaints } = await openAs('u_root', { colorScheme: 'dark' })
    await visit(page, '/console/')
    await see(page, 'Globex')
    await page.getByRole('combobox', { name: 'Account' }).first().click()
    await page.getByRole('option', { name: 'Globex' }).click()
    await goTo(page, 'API keys')
    await see(page, 'Globex server')
    expect(page.url()).toContain('account=globex')
    expect(await page.getByText('Laptop').count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  test('a statement adds up to the nano on the page', async () => {
    const { page, close, complaints } = await openAs('u_owen')
    await visit(page, '/console/')
    await goTo(page, 'Billing')
    await see(page, 'Every charge is accounted for.')
    await see(page, 'Reserved now')
    await page.getByRole('button', { name: 'Previous month' }).click()
    await see(page, 'No spending in this period.')
    expect(complaints).toEqual([])
    await close()
  })
})

/** Lines of a page that look like English; names, ids and units do not count. */
async function englishLines(page: Page): Promise<string[]> {
  const text = await page.evaluate<string>('document.querySelector("main").innerText')
  return text.split('\n').filter((line) => /\b(the|and|no|all|is|of|your)\b/i.test(line))
}
