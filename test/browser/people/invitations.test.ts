import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { patience } from '../../support/patience.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { englishTexts } from '../page/english-texts.ts'
import { launchBrowser, openPage, visit } from '../page/open-browser.ts'
import { fillSignIn, heading, see } from '../page/page-steps.ts'
import { seriousIssues } from '../page/serious-issues.ts'
import { stateOf } from '../page/signed-in.ts'

const password = 'a password of my own'

browserSuite('invitations in Chromium', (chromiumPath) => {
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

  async function inviteAsOwen(email: string) {
    const { page, close, complaints } = await openAs('u_owen')
    await visit(page, '/console/account')
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.getByRole('button', { name: 'Add member' }).click()
    await see(page, `This invitation link for ${email} works once`)
    await see(page, 'Invited until')
    const link = (await page.getByText(/invitation#/).textContent()) ?? ''
    expect(complaints).toEqual([])
    return { link, page, close }
  }

  test(
    'a person without a login accepts, sees the restrictions, and signs in later with a password',
    async () => {
      const { link, ...owen } = await inviteAsOwen('zoe@x.org')
      expect(await seriousIssues(owen.page)).toEqual([])
      await owen.close()
      const { page, close, complaints } = await open()
      await page.goto(link)
      await heading(page, 'You are invited')
      expect(await seriousIssues(page)).toEqual([])
      await page.getByRole('button', { name: 'Accept as a new user' }).click()
      await heading(page, 'Set a password')
      await see(page, `${fixture.url}/console/sign-in?account=acme`)
      expect(await seriousIssues(page)).toEqual([])
      await page.getByLabel('New password').fill(password)
      await page.getByLabel('Confirm password').fill(password)
      await page.getByRole('button', { name: 'Save password' }).click()
      await heading(page, 'Overview')
      await see(page, 'Your email is not verified yet')
      await visit(page, '/console/account')
      await see(page, `${fixture.url}/console/sign-in?account=acme`)
      // This browser knows how the person signs in, also after the session has ended.
      await page.getByRole('button', { name: 'Signed-in user' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await see(page, 'You are signing in as an invited member of account acme.')
      await page.goto('/console/')
      await see(page, 'You are signing in as an invited member of account acme.')
      expect(await seriousIssues(page)).toEqual([])
      await fillSignIn(page, 'zoe@x.org', password)
      await heading(page, 'Overview')
      await page.context().clearCookies()
      await page.goto('/console/keys')
      await page.getByRole('link', { name: 'Sign in as another user' }).click()
      await see(page, 'Console of your model gateway')
      await page.goto('/console/')
      await see(page, 'Console of your model gateway')
      expect(complaints).toEqual([])
      await fillSignIn(page, 'zoe@x.org', password)
      await see(page, 'If an account owner invited you and your email is not verified yet')
      await close()

      // A new link would end the password, so the owner is asked.
      const again = await openAs('u_owen')
      await visit(again.page, '/console/account')
      await again.page.getByRole('button', { name: 'Create new link' }).click()
      const question = again.page.getByRole('dialog', {
        name: /^Create a new link for zoe@x.org\?$/i,
      })
      await question.getByText('removes the password').waitFor()
      await question.getByRole('button', { name: 'Cancel' }).click()
      await question.waitFor({ state: 'detached' })
      await again.page.getByRole('textbox', { name: 'Email' }).fill('ZOE@x.org')
      await again.page.getByRole('button', { name: 'Add member' }).click()
      await question.getByRole('button', { name: 'Cancel' }).click()
      await question.waitFor({ state: 'detached' })
      expect(await again.page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe(
        'ZOE@x.org',
      )
      expect(await again.page.getByText('This invitation link for').count()).toBe(0)
      // Until the email is verified, an owner has the rights of a member.
      await again.page.getByRole('textbox', { name: 'Email' }).fill('')
      await again.page.getByRole('combobox', { name: 'Role: zoe@x.org' }).click()
      const changed = again.page.waitForResponse((each) => each.url().includes('/members?user='))
      await again.page.getByRole('option', { name: 'Owner' }).click()
      expect((await changed).status()).toBe(200)
      expect(await again.page.getByText('Full access: members').count()).toBe(1)
      await again.close()

      const later = await open()
      await later.page.goto('/console/sign-in?account=acme')
      await see(later.page, 'You are signing in as an invited member of account acme.')
      await fillSignIn(later.page, 'zoe@x.org', password)
      await heading(later.page, 'Overview')
      await later.page.goto(link)
      await later.page.getByRole('button', { name: 'Accept as a new user' }).click()
      await see(later.page, 'This invitation is no longer valid')
      await later.close()
    },
    patience(60_000),
  )

  test(
    'an owner sees that an invitation has expired, and invites again',
    async () => {
      const { page, close } = await inviteAsOwen('late@x.org')
      await fixture.engine.db
        .updateTable('console_user')
        .set({ invited_at: Date.now() - 8 * 24 * 3_600_000 })
        .where('invited_email', '=', 'late@x.org')
        .execute()
      await page.reload()
      await see(page, 'Invitation expired')
      expect(await seriousIssues(page)).toEqual([])
      await page.getByRole('button', { name: 'Invite again' }).click()
      await see(page, 'This invitation link for late@x.org works once')
      await page.getByText('Invitation expired').waitFor({ state: 'detached' })
      await close()
    },
    patience(60_000),
  )

  test(
    'an administrator verifies the address, and the restrictions end',
    async () => {
      await (await inviteAsOwen('yan@x.org')).close()
      const { page, close, complaints } = await openAs('u_root')
      await visit(page, '/console/operate/accounts?view=users')
      await page.getByRole('button', { name: 'Open user yan@x.org' }).click()
      const panel = page.getByRole('dialog').first()
      await panel.getByText('Not verified; limited to acme').waitFor()
      await panel.getByRole('button', { name: 'Mark email as verified' }).click()
      await page
        .getByRole('dialog', { name: 'Mark yan@x.org as verified?' })
        .getByRole('button', { name: 'Mark email as verified' })
        .click()
      await panel.getByText('Sign-in link for yan@x.org').waitFor()
      await panel.getByText('Verified by an administrator').waitFor()
      const link = (await panel.getByText(/sign-in\?first/).textContent()) ?? ''
      expect(complaints).toEqual([])
      await close()
      const yan = await open()
      await yan.page.goto(link)
      await heading(yan.page, 'Set a password')
      await yan.page.getByRole('link', { name: 'Not now' }).click()
      await heading(yan.page, 'Overview')
      expect(await yan.page.getByText('Your email is not verified yet').count()).toBe(0)
      await yan.close()
    },
    patience(60_000),
  )

  test(
    'a person with a login accepts in the console, in Chinese',
    async () => {
      await (await inviteAsOwen('bob@example.com')).close()
      const { page, close, complaints } = await openAs('u_bob', { locale: 'zh-CN' })
      await visit(page, '/console/')
      await heading(page, '概览')
      await see(page, '您受邀加入账户 Acme Robotics（成员）。')
      await page.getByRole('button', { name: '接受', exact: true }).click()
      await see(page, '您已成为 Acme Robotics 的成员。')
      await page.getByText('您受邀加入账户').waitFor({ state: 'hidden' })
      await page.goto('/console/invitation#x')
      await heading(page, '您收到了邀请')
      expect(await englishTexts(page, [/中文/g])).toEqual([])
      expect(complaints).toEqual([])
      await close()
    },
    patience(60_000),
  )
})
