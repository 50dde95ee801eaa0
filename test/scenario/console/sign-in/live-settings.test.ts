import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mailPort } from '../../../../src/app/notices/open-notices.ts'
import { openIdFrom } from '../../../../src/app/open-id/open-id.ts'
import { mailTexts } from '../../../../src/outbox/mail-texts.ts'
import {
  clientId,
  clientSecret,
  type FakeOpenIdProvider,
  noRules,
  startOpenIdProvider,
} from '../../../support/console/open-id-provider.ts'
import { openMailServer } from '../../../support/outgoing/mail-server.ts'

let provider: FakeOpenIdProvider
beforeAll(() => {
  provider = startOpenIdProvider()
})
afterAll(() => provider.stop())

const former = 'the former secret, which nobody accepts any more'
const failed = async (work: Promise<unknown>) =>
  work.then(
    () => false,
    () => true,
  )

test('a message is sent with the password that is in force then', async () => {
  const login = { user: 'gateway', password: 'the new password' }
  const server = await openMailServer({ login })
  const settingsWith = (password: string) => ({
    publicUrl: 'https://gw.example.com',
    smtp: {
      host: 'localhost',
      port: server.port,
      tls: 'off' as const,
      login: { ...login, password },
      from: 'gateway@example.com',
    },
  })
  const live = { config: settingsWith(former) }
  const port = mailPort(live)
  const mail = mailTexts('en').passwordReset({ url: 'https://gw.example.com/console/' })
  expect(await failed(port?.send('ann@example.com', mail) ?? Promise.resolve())).toBe(true)
  live.config = settingsWith(login.password)
  await port?.send('ann@example.com', mail)
  expect(server.mails).toHaveLength(1)
  await server.close()
})

test('a sign-in uses the client secret that is in force then', async () => {
  let secret = former
  const settings = openIdFrom(() => ({
    issuer: provider.issuer,
    clientId,
    clientSecret: secret,
    clientAuth: 'auto',
    label: 'SSO',
    rules: noRules,
    groupsClaim: 'groups',
    reauthentication: 'required',
    scopes: [],
  }))
  const signIn = async () => {
    const back = 'https://gw.example.com/console/'
    const { url, pending } = (await settings?.begin(back)) ?? { url: '', pending: undefined }
    const answer = provider.signIn(url, {
      sub: 'ann',
      email: 'ann@example.com',
      email_verified: true,
    })
    if (!pending) throw new Error('no sign-in was started')
    return settings?.finish(new URL(`${back}?${answer.toString()}`), pending, Date.now())
  }
  expect(await failed(signIn())).toBe(true)
  secret = clientSecret
  expect((await signIn())?.email).toBe('ann@example.com')
  // And back: the cached description is used only with the secret in force.
  secret = former
  expect(await failed(signIn())).toBe(true)
})
