import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { annPassword } from '../../support/console/console-seed.ts'
import { eventually } from '../../support/eventually.ts'
import { patience } from '../../support/patience.ts'
import { type BuiltFixture, openBuiltFixture } from '../gateways/built-fixture.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, phone, showAs, type WatchedPage } from '../page/open-browser.ts'
import { dropSession, heading, overflowPixels, see, settle } from '../page/page-steps.ts'
import { seriousIssues } from '../page/serious-issues.ts'

const freshMs = 5 * 60_000

/** The life of a passkey, with a virtual authenticator of Chromium. The tests run in this order. */
browserSuite('passkeys in Chromium', (chromiumPath) => {
  let fixture: BuiltFixture
  let browser: Browser
  let opened: WatchedPage
  let page: Page
  let verify: (isVerified: boolean) => Promise<void>
  /** Whether the virtual user touches the authenticator as soon as the browser asks. */
  let touch: (isTouched: boolean) => Promise<void>

  /** The page's calls to the browser for passkeys since the page was loaded, with their results. */
  const askedFor = (of: Page = page) => of.evaluate('window.askedFor') as Promise<readonly string[]>
  const offered = () => eventually('an offer', async () => (await askedFor()).length > 0)

  beforeAll(async () => {
    fixture = await openBuiltFixture({ isLocalhost: true })
    browser = await launchBrowser(chromiumPath)
    opened = await openPage(browser, fixture.url, { isCold: true })
    page = opened.page
    await page.addInitScript({ content: watchPasskeys })
    const devtools = await opened.context.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    verify = async (isUserVerified) => {
      await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    }
    touch = async (enabled) => {
      await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    }
  }, patience(30_000))
  afterAll(async () => {
    await opened?.context.close()
    await browser?.close()
    await fixture?.close()
  })

  const signOut = async () => {
    await dropSession(page)
    await page.goto('/console/sign-in')
    await heading(page, 'Sign in')
  }

  test(
    'a user without a password adds a passkey on the account page',
    async () => {
      await page.goto(await fixture.signInPath('u_root'))
      await heading(page, 'Overview')
      await page.goto('/console/account')
      await page.getByRole('button', { name: 'Add passkey' }).click()
      await see(page, 'Passkey added.')
      await see(page, /never used/)
      await page.getByRole('button', { name: /^Rename: / }).click()
      const dialog = page.getByRole('dialog', { name: 'Rename passkey' })
      await dialog.getByLabel('Name').fill('Work laptop')
      await page.keyboard.press('Enter')
      await see(page, 'Passkey renamed.')
      await see(page, 'Work laptop')
      // The device already has a passkey of this user.
      await page.getByRole('button', { name: 'Add passkey' }).click()
      await see(page, 'This device already has a passkey for you.')
      await settle(page)
      expect(await seriousIssues(page)).toEqual([])
      await showAs(page, { viewport: phone })
      expect(await overflowPixels(page)).toBe(0)
      expect(await seriousIssues(page, 'other width')).toEqual([])
      await showAs(page, {})
    },
    patience(60_000),
  )

  test(
    'signs in by keyboard, without a name or a password',
    async () => {
      // No user picks the passkey that the browser offers in the email field.
      await touch(false)
      await signOut()
      const button = page.getByRole('button', { name: 'Sign in with a passkey' })
      await button.waitFor()
      await offered()
      expect(await seriousIssues(page)).toEqual([])
      await touch(true)
      await button.focus()
      await page.keyboard.press('Enter')
      await heading(page, 'Overview')
      expect(await askedFor()).toEqual(['offer aborted', 'dialog answered'])
      await page.goto('/console/account')
      await see(page, /last used/)
    },
    patience(60_000),
  )

  test(
    'signs in with a passkey that the browser offers in the email field',
    async () => {
      await dropSession(page)
      await touch(true)
      await page.goto('/console/sign-in')
      await heading(page, 'Overview')
      expect(await askedFor()).toEqual(['offer answered'])
    },
    patience(60_000),
  )

  test(
    'the password works while the browser offers passkeys',
    async () => {
      await touch(false)
      await signOut()
      await offered()
      const email = page.getByLabel('Email')
      expect(await email.getAttribute('autocomplete')).toBe('username webauthn')
      await email.fill('ann@example.com')
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await page.keyboard.press('Enter')
      await see(page, 'Wrong email or password.')
      expect(await askedFor()).toEqual(['offer waits'])
      await page.getByLabel('Password', { exact: true }).fill(annPassword)
      await page.keyboard.press('Enter')
      await heading(page, 'Overview')
      expect(await askedFor()).toEqual(['offer aborted'])
      await touch(true)
      await dropSession(page)
      await page.goto('/console/sign-in')
      await heading(page, 'Overview')
    },
    patience(60_000),
  )

  test(
    'a browser that cannot offer passkeys gets the button, and asks for nothing',
    async () => {
      const plain = await openPage(browser, fixture.url, { isCold: true })
      await plain.page.addInitScript({ content: watchPasskeys })
      const content = 'PublicKeyCredential.isConditionalMediationAvailable = undefined'
      await plain.page.addInitScript({ content })
      const sent: string[] = []
      plain.page.on('request', (request) => sent.push(new URL(request.url()).pathname))
      await plain.page.goto('/console/sign-in')
      await plain.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
      await settle(plain.page)
      expect(await askedFor(plain.page)).toEqual([])
      expect(sent.filter((path) => path.includes('passkey/start'))).toEqual([])
      await plain.context.close()
    },
    patience(60_000),
  )

  test(
    'confirms the identity before a key is shown',
    async () => {
      fixture.passTime(freshMs + 60_000)
      await page.goto('/console/keys?key=key_a1')
      await settle(page)
      const prove = page.getByRole('button', { name: 'Use a passkey' })
      await prove.waitFor()
      expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0)
      await verify(false)
      await prove.click()
      await see(page, /The passkey was not used/)
      await verify(true)
      await prove.click()
      await prove.waitFor({ state: 'detached' })
      await settle(page)
      const { db } = fixture.engine
      const row = await db
        .selectFrom('audit')
        .select('actor')
        .where('action', '=', 'user.identity-confirmed')
        .executeTakeFirst()
      expect(row?.actor).toBe('u_root')
    },
    patience(60_000),
  )

  test(
    'the only way to sign in is not removed, and a removed passkey no longer signs in',
    async () => {
      await page.goto('/console/account')
      const remove = page.getByRole('button', { name: 'Remove: Work laptop' })
      const confirm = page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true })
      await remove.click()
      await confirm.click()
      await see(page, /your only way to sign in/)
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.getByLabel('New password').fill('a password for the test')
      await page.getByLabel('Confirm password').fill('a password for the test')
      await page.getByRole('button', { name: 'Save password' }).click()
      await see(page, 'Password saved.')
      await remove.click()
      await confirm.click()
      await see(page, 'Passkey removed.')
      await remove.waitFor({ state: 'detached' })
      // The authenticator still has the passkey, and offers it.
      await dropSession(page)
      await page.goto('/console/sign-in')
      await see(page, /The passkey was not accepted/)
      await touch(false)
      await signOut()
      await offered()
      await touch(true)
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await see(page, /The passkey was not accepted/)
      await heading(page, 'Sign in')
    },
    patience(60_000),
  )

  test(
    'at another host name the console says where passkeys work',
    async () => {
      const elsewhere = fixture.url.replace('localhost', '127.0.0.1')
      const other = await openPage(browser, elsewhere, { isCold: true })
      await other.page.goto(await fixture.signInPath('u_ann'))
      await heading(other.page, 'Overview')
      await other.page.goto('/console/account')
      await see(other.page, `Passkeys work only at ${fixture.url}/console`)
      expect(await other.page.getByRole('button', { name: 'Add passkey' }).count()).toBe(0)
      await dropSession(other.page)
      await other.page.goto('/console/sign-in')
      await heading(other.page, 'Sign in')
      const button = other.page.getByRole('button', { name: 'Sign in with a passkey' })
      expect(await button.count()).toBe(0)
      const email = other.page.getByLabel('Email')
      expect(await email.getAttribute('autocomplete')).toBe('username')
      await other.context.close()
    },
    patience(60_000),
  )
})

/** Runs in the page, before its scripts. */
const watchPasskeys = `
  window.askedFor = []
  const get = navigator.credentials.get.bind(navigator.credentials)
  navigator.credentials.get = async (options) => {
    const way = options.mediation === 'conditional' ? 'offer' : 'dialog'
    const at = window.askedFor.push(way + ' waits') - 1
    const end = (outcome) => {
      if (window.askedFor[at] === way + ' waits') window.askedFor[at] = way + ' ' + outcome
    }
    options.signal.addEventListener('abort', () => end('aborted'))
    try {
      const answer = await get(options)
      end('answered')
      return answer
    } catch (error) {
      end('failed')
      throw error
    }
  }
`
