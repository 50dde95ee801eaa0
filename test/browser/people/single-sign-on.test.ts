import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import {
  type FakeOpenIdProvider,
  type ProviderUser,
  startOpenIdProvider,
} from '../../support/console/open-id-provider.ts'
import { eventually } from '../../support/eventually.ts'
import { patience } from '../../support/patience.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, visit } from '../page/open-browser.ts'
import { see, settle } from '../page/page-steps.ts'
import { seriousIssues } from '../page/serious-issues.ts'
import { stateOf } from '../page/signed-in.ts'

const nina = { sub: 'nina', email: 'nina@example.com', email_verified: true }
const inGroup = (group: string): ProviderUser => ({ ...nina, more: { groups: [group] } })

/** A person without a user in this gateway. The tests run in this order. */
browserSuite('single sign-on in Chromium', (chromiumPath) => {
  let fixture: BuiltFixture
  let provider: FakeOpenIdProvider
  let browser: Browser

  beforeAll(async () => {
    provider = startOpenIdProvider()
    const groups = [{ group: 'ai', account: 'acme', role: 'member' }] as const
    const rules = { create: 'groups', groups } as const
    fixture = await openBuiltFixture({ openId: provider.settings('Our login', { rules }) })
    browser = await launchBrowser(chromiumPath)
  })
  afterAll(async () => {
    await browser?.close()
    await fixture?.close()
    await provider?.stop()
  })

  /** The complaints, except that the browser leaves the console for the provider. */
  const others = (complaints: readonly string[]) =>
    complaints.filter((each) => !each.startsWith(`left for ${provider.issuer}/authorize?`))
  const openAs = async (user: string) =>
    openPage(browser, fixture.url, { storageState: stateOf(await fixture.signIn(user)) })

  test.each([
    ['en-US', 'You are not in a group that has access to this gateway.'],
    ['zh-CN', '您不在任何有权访问此网关的组中'],
  ])(
    'a person without a group is told what to do, in %s',
    async (locale, text) => {
      provider.setUser(inGroup('other'))
      const { page, close, complaints } = await openPage(browser, fixture.url, { locale })
      await visit(page, '/console/sign-in')
      await page.getByRole('link', { name: 'Our login' }).click()
      await see(page, text)
      expect(await seriousIssues(page)).toEqual([])
      expect(others(complaints)).toEqual([])
      await close()
    },
    patience(30_000),
  )

  test(
    'a person with a group becomes a user who sees the account',
    async () => {
      provider.setUser(inGroup('ai'))
      const { page, close, complaints } = await openPage(browser, fixture.url)
      await visit(page, '/console/sign-in')
      await page.getByRole('link', { name: 'Our login' }).click()
      await page.waitForURL((url) => url.pathname === '/console/')
      await visit(page, '/console/account')
      await see(page, 'Acme Robotics')
      await see(page, 'nina@example.com')
      await see(page, 'Groups at the identity provider control this membership.')
      expect(await page.getByRole('button', { name: 'Leave account' }).isDisabled()).toBe(true)
      expect(others(complaints)).toEqual([])
      await close()
    },
    patience(30_000),
  )

  test(
    'an owner sees the source of the membership, and can change only manual memberships',
    async () => {
      const { page, close, complaints } = await openAs('u_owen')
      await visit(page, '/console/account')
      await see(page, 'nina@example.com')
      await settle(page)
      const role = (email: string) => page.getByRole('combobox', { name: `Role: ${email}` })
      expect(await role(nina.email).isDisabled()).toBe(true)
      expect(await role('ann@example.com').isDisabled()).toBe(false)
      await see(page, 'Single sign-on')
      expect(await seriousIssues(page)).toEqual([])
      expect(complaints).toEqual([])
      await close()
    },
    patience(30_000),
  )

  test(
    'an administrator sees the source in the list of users and in the panel of the user',
    async () => {
      const { page, close, complaints } = await openAs('u_root')
      await visit(page, '/console/operate/accounts?view=users')
      await page
        .getByRole('button', { name: /nina@example.com/ })
        .first()
        .click()
      const panel = page.getByRole('dialog')
      await panel.getByText('Created by').waitFor()
      await panel
        .getByText('Groups at the identity provider control memberships', { exact: false })
        .waitFor()
      const role = panel.getByRole('combobox', { name: /Acme Robotics/ })
      expect(await role.isDisabled()).toBe(true)
      expect(complaints).toEqual([])
      await close()
    },
    patience(30_000),
  )

  test.each([
    ['en-US', 'You sign in', 'Signs in', ' with the identity provider. A password', 'Password'],
    ['zh-CN', '您', '该用户', '通过身份提供商登录，密码和通行密钥无效', '密码'],
  ])(
    'the user and the administrator see that a password of earlier does not count, in %s',
    async (locale, you, they, text, password) => {
      const known = fixture.engine.db.selectFrom('console_user').select('password_hash')
      const ann = await known.where('id', '=', 'u_ann').executeTakeFirstOrThrow()
      const users = fixture.engine.db.updateTable('console_user').set(ann)
      await users.where('email', '=', nina.email).execute()
      const { id } = await fixture.engine.db
        .selectFrom('console_user')
        .select('id')
        .where('email', '=', nina.email)
        .executeTakeFirstOrThrow()
      const openIn = async (user: string) =>
        openPage(browser, fixture.url, {
          locale,
          storageState: stateOf(await fixture.signIn(user)),
        })
      const own = await openIn(id)
      await visit(own.page, '/console/account')
      await see(own.page, you + text)
      const { page, close, complaints } = await openIn('u_root')
      await visit(page, '/console/operate/accounts?view=users')
      const row = page.getByRole('row').filter({ hasText: nina.email })
      expect(await row.getByText(password).count()).toBe(0)
      await page
        .getByRole('button', { name: new RegExp(nina.email) })
        .first()
        .click()
      await page
        .getByRole('dialog')
        .getByText(they + text, { exact: false })
        .waitFor()
      expect([...own.complaints, ...complaints]).toEqual([])
      await own.close()
      await close()
    },
    patience(60_000),
  )

  test.each([
    ['en-US', 'Ask an administrator to unlink the user', 'Unlink from identity provider'],
    ['zh-CN', '请联系管理员解除该用户与身份提供商的关联', '解除身份提供商关联'],
  ])(
    'a person with a new identity signs in after an administrator has unlinked the user, in %s',
    async (locale, text, unlink) => {
      provider.setUser({ ...inGroup('ai'), sub: `nina in ${locale}` })
      const visitor = await openPage(browser, fixture.url, { locale })
      const signIn = async () => {
        await visit(visitor.page, '/console/sign-in')
        await visitor.page.getByRole('link', { name: 'Our login' }).click()
      }
      await signIn()
      await see(visitor.page, text)
      const storageState = stateOf(await fixture.signIn('u_root'))
      const operator = await openPage(browser, fixture.url, { locale, storageState })
      await visit(operator.page, '/console/operate/accounts?view=users')
      await operator.page
        .getByRole('button', { name: /nina@example.com/ })
        .first()
        .click()
      const button = operator.page.getByRole('dialog').getByRole('button', { name: unlink })
      await button.first().waitFor()
      await settle(operator.page)
      await button.first().click()
      const question = operator.page.getByRole('dialog', { name: /nina@example.com.*[?？]/ })
      await question.getByRole('button', { name: unlink }).waitFor()
      await settle(operator.page)
      expect(await seriousIssues(operator.page)).toEqual([])
      await question.getByRole('button', { name: unlink }).click()
      await question.waitFor({ state: 'hidden' })
      await operator.page.getByRole('button', { name: unlink }).waitFor({ state: 'detached' })
      await signIn()
      await visitor.page.waitForURL((url) => url.pathname === '/console/')
      expect(others(visitor.complaints)).toEqual([])
      expect(operator.complaints).toEqual([])
      await visitor.close()
      await operator.close()
    },
    patience(60_000),
  )

  test.each([
    [
      'en-US',
      'Delete',
      'no owner who can sign in',
      'Cancel',
      'The account “acme” needs at least one owner.',
    ],
    ['zh-CN', '删除', '将没有能登录的所有者', '取消', '账户“acme”至少需要一位所有者'],
  ])(
    'an administrator who deletes the last owner is told why not, in %s',
    async (locale, remove, asked, cancel, text) => {
      const storageState = stateOf(await fixture.signIn('u_root'))
      const { page, close } = await openPage(browser, fixture.url, { locale, storageState })
      await visit(page, '/console/operate/accounts?view=users')
      await page
        .getByRole('button', { name: /owen@example.com/ })
        .first()
        .click()
      await page.getByRole('dialog').getByRole('button', { name: remove }).click()
      // The confirmation is in front of the panel with the same button.
      const confirmation = page.getByRole('dialog').nth(1)
      await confirmation.getByRole('button', { name: remove }).click()
      // An administrator could insist.
      const question = page.getByRole('dialog').filter({ hasText: asked })
      await question.getByRole('button', { name: cancel }).click()
      await see(page, text)
      const users = fixture.engine.db.selectFrom('console_user').where('id', '=', 'u_owen')
      expect(await users.select('id').execute()).toHaveLength(1)
      await close()
    },
    patience(30_000),
  )

  test.each([
    ['en-US', 'You sign in with your identity provider.', /you signed in with a link/],
    ['zh-CN', '您通过身份提供商登录。', /登录链接登录/],
  ])(
    'a user without a password who is linked to the provider is not told to set one, in %s',
    async (locale, text, other) => {
      const linked = { open_id: `${provider.issuer} new` }
      const users = fixture.engine.db.updateTable('console_user').set(linked)
      await users.where('id', '=', 'u_new').execute()
      const storageState = stateOf(await fixture.signIn('u_new'))
      const { page, close } = await openPage(browser, fixture.url, { locale, storageState })
      await visit(page, '/console/account')
      await see(page, text)
      expect(await page.getByText(other).count()).toBe(0)
      await close()
    },
    patience(30_000),
  )

  test(
    'a member leaves an account',
    async () => {
      const { page, close, complaints } = await openAs('u_ann')
      await visit(page, '/console/account')
      await page.getByRole('button', { name: 'Leave account' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Leave account' }).click()
      await see(page, /ann@example.com/)
      await page.getByRole('button', { name: 'Leave account' }).waitFor({ state: 'detached' })
      const memberships = fixture.engine.db.selectFrom('membership').where('user_id', '=', 'u_ann')
      await eventually('the membership has ended', async () => {
        const rows = await memberships.select('account_id').execute()
        return rows.length === 0
      })
      expect(complaints.filter((each) => !each.includes('404'))).toEqual([])
      await close()
    },
    patience(30_000),
  )
})
