import { expect, test } from 'bun:test'
import { checkMail } from '../../../src/cli/doctor/check-mail.ts'
import { openMailServer } from '../../support/outgoing/mail-server.ts'

test('without a mail server doctor has no mail check', async () => {
  expect(await checkMail({ smtp: undefined })).toEqual([])
})

test('doctor connects and signs in, sends nothing, and reports the problem', async () => {
  const login = { user: 'gateway', password: 'the right password' }
  const server = await openMailServer({ login })
  try {
    const smtp = { host: 'localhost', port: server.port, tls: 'off', login, from: 'a@b' } as const
    expect(await checkMail({ smtp })).toMatchObject([{ verdict: 'ok', topic: 'mail' }])
    const wrong = { ...smtp, login: { ...login, password: 'a wrong password' } }
    const [finding] = await checkMail({ smtp: wrong })
    expect(finding).toMatchObject({ verdict: 'fail', topic: 'mail' })
    expect(finding?.text).toContain('rejected the user or password')
    expect(finding?.text).not.toContain('a wrong password')
    expect(server.mails).toEqual([])
  } finally {
    await server.close()
  }
})
