import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { annPassword } from '../../support/console/console-seed.ts'
import {
  type FakeOpenIdProvider,
  startOpenIdProvider,
} from '../../support/console/open-id-provider.ts'
import { patience } from '../../support/patience.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, visit } from '../page/open-browser.ts'
import { see, settle } from '../page/page-steps.ts'
import { seriousIssues } from '../page/serious-issues.ts'
import { stateOf } from '../page/signed-in.ts'

const freshMs = 5 * 60_000
const keyName = 'A key of Ann'
const shape = /^sk-[0-9A-Za-z]{48}$/

/** The life of a personal key. The tests run in this order. */
browserSuite('keys of users in Chromium', (chromiumPath) => {
  let fixture: BuiltFixture
  let provider: FakeOpenIdProvider
  let browser: Browser
  let value = ''

  beforeAll(async () => {
    provider = startOpenIdProvider()
    fixture = await openBuiltFixture({ openId: provider.settings('Our login') })
    browser = await launchBrowser(chromiumPath)
  })
  afterAll(async () => {
    await browser?.close()
    await fixture?.close()
    await provider?.stop()
  })

  /** The time of the gateway, which tests move. */
  const signedInNow = () => ({ auth_time: Math.floor(fixture.nowMs() / 1_000) })
  const openAs = async (user: string) =>
    openPage(browser, fixture.url, { storageState: stateOf(await fixture.signIn(user)) })
  const valueIn = async (page: Page) =>
    (await page.getByLabel('Key', { exact: true }).textContent()) ?? ''
  const openKey = async (page: Page) => {
    await visit(page, '/console/keys')
    await page.getByRole('button', { name: keyName }).click()
    return page.getByRole('dialog', { name: keyName })
  }

  test(
    'a member creates a key of their own, and sees no other key',
    async () => {
      const { page, close, complaints } = await openAs('u_ann')
      await visit(page, '/console/keys')
      await see(page, 'No keys yet')
      await page.getByRole('button', { name: 'New key' }).first().click()
      await page.getByLabel('Name', { exact: true }).fill(keyName)
      expect(await page.getByRole('radio', { name: 'Service key' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Create key' }).click()
      await see(page, 'Key created')
      value = await valueIn(page)
      expect(value).toMatch(shape)
      await see(page, 'Personal key')
      expect(await seriousIssues(page)).toEqual([])
      expect(complaints).toEqual([])
      await close()
    },
    patience(60_000),
  )

  test(
    'opening the key shows the value; after a while the same panel asks for the password first',
    async () => {
      const { page, close } = await openAs('u_ann')
      const panel = await openKey(page)
      await panel.getByText(value, { exact: true }).waitFor()
      fixture.passTime(freshMs + 1)
      await page.reload()
      await panel.getByText('You signed in a while ago. Enter your password to continue.').waitFor()
      expect(await page.content()).not.toContain(value)
      expect(await page.getByRole('dialog').count()).toBe(1)
      expect(await seriousIssues(page)).toEqual([])
      await panel.getByLabel('Password', { exact: true }).fill('not this one at all')
      await panel.getByRole('button', { name: 'Continue' }).click()
      await panel.getByText('Wrong password').waitFor()
      expect(await page.content()).not.toContain(value)
      await panel.getByLabel('Password', { exact: true }).fill(annPassword)
      await panel.getByRole('button', { name: 'Continue' }).click()
      await panel.getByText(value, { exact: true }).waitFor()
      await close()
    },
    patience(60_000),
  )

  test(
    'the user can also confirm the identity with the provider, which leads back to the open panel with the value',
    async () => {
      const { page, close } = await openAs('u_ann')
      await openKey(page)
      fixture.passTime(freshMs + 1)
      await page.reload()
      const panel = page.getByRole('dialog', { name: keyName })
      await panel.getByText('You signed in a while ago. Enter your password to continue.').waitFor()
      const place = page.url()
      expect(await page.content()).not.toContain(value)
      const ann = { sub: 'p-1', email: 'ann@example.com', email_verified: true }
      provider.setUser({ ...ann, more: signedInNow() })
      await panel.getByRole('link', { name: 'Our login' }).click()
      await panel.getByText(value, { exact: true }).waitFor()
      expect(page.url()).toBe(place)
      await close()
    },
    patience(60_000),
  )

  test(
    'if the provider does not say that the user signed in again, the open panel says so',
    async () => {
      const { page, close } = await openAs('u_ann')
      await openKey(page)
      fixture.passTime(freshMs + 1)
      await page.reload()
      const panel = page.getByRole('dialog', { name: keyName })
      const question = panel.getByText(
        'You signed in a while ago. Enter your password to continue.',
      )
      await question.waitFor()
      const place = page.url()
      provider.setUser({ sub: 'p-1', email: 'ann@example.com', email_verified: true })
      await panel.getByRole('link', { name: 'Our login' }).click()
      await see(page, /The identity provider did not confirm that you signed in again/)
      await question.waitFor()
      expect(page.url()).toBe(place)
      expect(await page.content()).not.toContain(value)
      await close()
    },
    patience(60_000),
  )

  test(
    'another person who signs in with the identity provider gets neither the panel nor the value',
    async () => {
      const { page, close } = await openAs('u_ann')
      await openKey(page)
      fixture.passTime(freshMs + 1)
      await page.reload()
      const panel = page.getByRole('dialog', { name: keyName })
      await panel.getByText('You signed in a while ago. Enter your password to continue.').waitFor()
      const bob = { sub: 'p-2', email: 'bob@example.com', email_verified: true }
      provider.setUser({ ...bob, more: signedInNow() })
      await panel.getByRole('link', { name: 'Our login' }).click()
      await see(page, /Globex/)
      await settle(page)
      const content = await page.content()
      expect(content).not.toContain(value)
      expect(content).not.toContain(keyName)
      await close()
    },
    patience(60_000),
  )

  test(
    'without a password, a user of the provider goes there first, and sets no password instead',
    async () => {
      const { page, close } = await openAs('u_ann')
      const users = fixture.engine.db.updateTable('console_user').where('id', '=', 'u_ann')
      await users.set({ password_hash: null }).execute()
      fixture.passTime(freshMs + 1)
      const panel = await openKey(page)
      await panel.getByText('Sign in with your identity provider again to continue.').waitFor()
      expect(await panel.getByLabel(/password/i).count()).toBe(0)
      expect(await page.content()).not.toContain(value)
      provider.setUser({ sub: 'p-1', more: signedInNow() })
      await panel.getByRole('link', { name: 'Our login' }).click()
      await panel.getByText(value, { exact: true }).waitFor()
      await close()
    },
    patience(60_000),
  )

  test(
    'an owner of the account sees whose the key is and can disable it, and never sees its value',
    async () => {
      const { page, close, complaints } = await openAs('u_owen')
      const panel = await openKey(page)
      await panel.getByText('This key belongs to ann@example.com.').waitFor()
      await settle(page)
      expect(await panel.getByRole('button', { name: 'Rotate' }).count()).toBe(0)
      expect(await panel.getByRole('button', { name: 'Show', exact: true }).count()).toBe(0)
      expect(await panel.getByRole('button', { name: 'Convert to service key' }).count()).toBe(0)
      expect(await page.content()).not.toContain(value)
      await panel.getByRole('button', { name: 'Disable' }).click()
      await see(page, `${keyName} disabled.`)
      await panel.getByRole('button', { name: 'Enable' }).click()
      await see(page, `${keyName} enabled.`)
      expect(await seriousIssues(page)).toEqual([])
      expect(complaints).toEqual([])
      await close()
    },
    patience(60_000),
  )

  test(
    'the user of a key that an owner has locked can rename the key, and change nothing else',
    async () => {
      const { page, close, complaints } = await openAs('u_ann')
      const locked = await openKey(page)
      await locked.getByText('An owner of the account has locked').waitFor()
      expect(await locked.getByRole('button', { name: 'Disable' }).count()).toBe(0)
      expect(await locked.getByRole('tab', { name: 'Settings' }).count()).toBe(0)
      const rename = async (from: string, to: string) => {
        const panel = page.getByRole('dialog', { name: from })
        await panel.getByRole('button', { name: 'Rename' }).click()
        await page.getByLabel('Name', { exact: true }).fill(to)
        await page.getByRole('button', { name: 'Save', exact: true }).click()
        await page.getByRole('dialog', { name: to }).waitFor()
      }
      await rename(keyName, 'Another name')
      expect(await seriousIssues(page)).toEqual([])
      await rename('Another name', keyName)
      await page.reload()
      await locked.getByText('An owner of the account has locked').waitFor()
      expect(complaints).toEqual([])
      await close()
    },
    patience(60_000),
  )

  test(
    'a member who becomes a viewer is told why the key is refused, and is offered nothing that is refused',
    async () => {
      const owen = await fixture.signIn('u_owen')
      const become = (role: string) =>
        fixture.send('PATCH', '/console/api/accounts/acme/members?user=u_ann', {
          cookie: owen,
          body: { role },
        })
      expect((await become('viewer')).status).toBe(200)
      const { page, close } = await openAs('u_ann')
      const panel = await openKey(page)
      await panel.getByText('Viewers cannot use keys').waitFor()
      expect(await panel.getByText(/Rotate/).count()).toBe(0)
      expect(await panel.getByText(/you left the account/).count()).toBe(0)
      await close()
      expect((await become('member')).status).toBe(200)
    },
    patience(60_000),
  )

  test(
    'when the member leaves, the key stops, and an owner converts it into a service key',
    async () => {
      const owen = await fixture.signIn('u_owen')
      const path = '/console/api/accounts/acme/members?user=u_ann'
      expect((await fixture.send('DELETE', path, { cookie: owen })).status).toBe(200)
      const { page, close, complaints } = await openAs('u_owen')
      const panel = await openKey(page)
      await panel.getByText('The gateway rejects the key.').waitFor()
      fixture.passTime(freshMs + 1)
      await panel.getByRole('button', { name: 'Convert to service key' }).click()
      const question = page.getByRole('dialog', { name: `Convert “${keyName}” to a service key?` })
      await question.getByRole('button', { name: 'Convert to service key' }).click()
      await see(page, `“${keyName}” is now a service key.`)
      const next = await valueIn(page)
      expect(next).toMatch(shape)
      expect(next).not.toBe(value)
      await panel.getByText('Service key', { exact: true }).first().waitFor()
      // The response has the value, so it is not asked for again, which would need a proof of identity.
      await settle(page)
      expect(await panel.getByText('You signed in a while ago.').count()).toBe(0)
      expect(complaints).toEqual([])
      await close()
    },
    patience(60_000),
  )
})
