import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually } from '../../support/eventually.ts'
import { startFakeUpstream } from '../../support/fake-upstream/start-fake-upstream.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { type MailServer, openMailServer } from '../../support/outgoing/mail-server.ts'
import { patience } from '../../support/patience.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'
import { ownPort } from '../gateways/own-port.ts'
import { browserSuite } from '../page/browser-suite.ts'
import { launchBrowser, openPage, visit } from '../page/open-browser.ts'
import { dropSession, fillSignIn, heading, see } from '../page/page-steps.ts'
import { signInAndSkipSetup } from '../page/signed-in.ts'

const password = 'a password of Zoe'
const changed = 'another password of Zoe'

/** A gateway in its own process, with and without a mail server. */
browserSuite('a new member in Chromium', (chromiumPath) => {
  cleanUpAfterwards()
  let mails: MailServer
  beforeAll(async () => {
    mails = await openMailServer()
  })
  afterAll(() => mails?.close())

  const smtp = () => ({
    smtpHost: '127.0.0.1',
    smtpPort: mails.port,
    smtpTls: 'off',
    smtpFrom: 'gw@example.com',
  })

  async function open(
    more: object,
    provision: object = { accounts: [{ id: 'acme', name: 'Acme' }] },
  ) {
    const port = ownPort()
    const url = `http://127.0.0.1:${port}`
    const gateway = await startTollgate(
      makeWorkspace({
        listen: `127.0.0.1:${port}`,
        demo: 'off',
        publicUrl: url,
        ...more,
        provision,
      }),
    )
    const browser = await launchBrowser(chromiumPath)
    const storageState = await signInAndSkipSetup(linkOf(gateway))
    return {
      url,
      root: (await openPage(browser, url, { storageState })).page,
      visitor: (await openPage(browser, url, { isCold: true })).page,
      close: async () => {
        await browser.close()
        gateway.signal('SIGTERM')
        await gateway.exited
      },
    }
  }

  /** The link of the newest email with this subject to the address. */
  const mailedLink = (to: string, subject: string) =>
    eventually(`an email: ${subject}`, () => {
      const found = mails.mails.filter(
        ({ raw, ...mail }) => mail.to.includes(to) && raw.includes(subject),
      )
      const text = found.at(-1)?.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? ''
      return /http:\/\/127\S+#[\w-]+/.exec(text)?.[0]
    })

  async function createUser(page: Page, email: string): Promise<void> {
    await visit(page, '/console/operate/accounts?view=users')
    await page.getByRole('button', { name: 'New user' }).click()
    const panel = page.getByRole('dialog')
    await panel.getByLabel('Email').fill(email)
    await panel.getByRole('combobox', { name: 'Add to an account' }).click()
    await page.getByRole('option', { name: /Acme/ }).click()
    await panel.getByRole('button', { name: 'Create user' }).click()
    await panel.getByText(`Sign-in link for ${email}`).waitFor()
    await panel.getByText(/expires in 7 days/).waitFor()
  }

  async function setFirstPassword(page: Page, link: string): Promise<void> {
    await page.goto(link)
    await heading(page, 'Set a password')
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('Confirm password').fill(password)
    await page.getByRole('button', { name: 'Save password' }).click()
    await heading(page, 'Overview')
  }

  async function signInAgain(page: Page, secret: string): Promise<void> {
    await dropSession(page)
    await page.goto('/console/sign-in')
    await fillSignIn(page, 'zoe@example.com', secret)
    await heading(page, 'Overview')
  }

  test(
    'with a mail server: the link comes by email, and a forgotten password is replaced',
    async () => {
      const { root, visitor, close } = await open(smtp())
      await createUser(root, 'zoe@example.com')
      await see(root, 'The link was also sent by email.')
      await setFirstPassword(
        visitor,
        await mailedLink('zoe@example.com', 'Sign in to the model gateway'),
      )
      await dropSession(visitor)
      await visitor.goto('/console/sign-in')
      await visitor.getByRole('link', { name: 'Forgot password?' }).click()
      await heading(visitor, 'Reset your password')
      await visitor.getByLabel('Email').fill('zoe@example.com')
      await visitor.getByRole('button', { name: 'Send link' }).click()
      await see(visitor, 'Check your email')
      await visitor.goto(await mailedLink('zoe@example.com', 'Reset your password'))
      await heading(visitor, 'Set a new password')
      await visitor.getByLabel('New password').fill(changed)
      await visitor.getByLabel('Confirm password').fill(changed)
      await visitor.getByRole('button', { name: 'Save password' }).click()
      await see(visitor, 'New password saved. Sign in with it.')
      await signInAgain(visitor, changed)
      await eventually('the notice', () =>
        mails.mails.some(({ raw }) => raw.includes('Subject: Your password was changed')),
      )
      await close()
    },
    patience(90_000),
  )

  test(
    'an owner invites by email, the invited person sets a password, and a budget that is nearly spent is reported by email',
    async () => {
      const upstream = await startFakeUpstream()
      const owner = 'owen@example.com'
      const { provision } = shopConfig(upstream.url) as { provision: object }
      const { root, visitor, url, close } = await open(smtp(), {
        ...provision,
        accounts: [{ id: 'acme', name: 'Acme', credit: 25, daily: 0.001, budgetAlertPercent: 1 }],
        users: [{ email: owner, password, accounts: [{ id: 'acme', role: 'owner' }] }],
        alerts: [
          {
            id: 'money',
            account: 'acme',
            channel: 'email',
            emails: [owner],
            kinds: ['budget_low'],
          },
        ],
      })
      expect((await askShop(url, { body: chatBody({ max_tokens: 5 }) })).status).toBe(200)
      await dropSession(root)
      await root.goto('/console/sign-in')
      await fillSignIn(root, owner, password)
      await heading(root, 'Overview')
      await visit(root, '/console/account')
      await root.getByRole('textbox', { name: 'Email' }).fill('zoe@example.com')
      await root.getByRole('button', { name: 'Add member' }).click()
      await see(root, 'Invited until')

      await visitor.goto(await mailedLink('zoe@example.com', 'Acme'))
      await heading(visitor, 'You are invited')
      await visitor.getByRole('button', { name: 'Accept as a new user' }).click()
      await heading(visitor, 'Set a password')
      await visitor.getByLabel('New password').fill(changed)
      await visitor.getByLabel('Confirm password').fill(changed)
      await visitor.getByRole('button', { name: 'Save password' }).click()
      await heading(visitor, 'Overview')
      await dropSession(visitor)
      await visitor.goto('/console/sign-in?account=acme')
      await fillSignIn(visitor, 'zoe@example.com', changed)
      await heading(visitor, 'Overview')

      // The gateway evaluates alerts for the first time ten seconds after its start.
      const alert = await eventually('the alert', () =>
        mails.mails.find(({ to, raw }) => to.includes(owner) && /budget/i.test(raw)),
      )
      expect(alert.to).toEqual([owner])
      await visit(root, '/console/account')
      await root.getByRole('link', { name: 'Manage alerts' }).click()
      await heading(root, 'Alerts')
      await see(root, owner)
      await close()
      await upstream.stop()
    },
    patience(120_000),
  )

  test(
    'without a mail server: the link can be copied, and nothing offers email',
    async () => {
      const { root, visitor, close } = await open({})
      const before = mails.mails.length
      await createUser(root, 'zoe@example.com')
      const link = (await root.getByText(/sign-in\?first/).textContent()) ?? ''
      expect(await root.getByText('also sent by email').count()).toBe(0)
      await setFirstPassword(visitor, link)
      await dropSession(visitor)
      await visitor.goto(link)
      await see(visitor, 'This link is no longer valid')
      expect(await visitor.getByRole('link', { name: 'Forgot password?' }).count()).toBe(0)
      await signInAgain(visitor, password)
      expect(mails.mails.length).toBe(before)
      await close()
    },
    patience(90_000),
  )
})

function linkOf(gateway: TollgateProcess): string {
  const link = /(http:\S+\/console\/sign-in#\S+)/.exec(gateway.stdout())?.[1]
  if (link === undefined) throw new Error(`no sign-in link in: ${gateway.stdout()}`)
  return link
}
