import { expect, test } from 'bun:test'
import { loadText, refusalOf } from './load-text.ts'

const all = {
  publicUrl: 'https://gw.example.com',
  smtpHost: 'smtp.example.com',
  smtpFrom: 'Gateway <gateway@example.com>',
  smtpUser: 'u',
  smtpPassword: 'env:PW',
}
const textOf = (settings: Readonly<Record<string, string | undefined>>) =>
  Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join('\n')
const env = { PW: 'secret of the mail server' }

test('the mail server, with its password from the environment', () => {
  const { smtp, inForce } = loadText({ text: textOf(all), env })
  expect(smtp).toEqual({
    host: 'smtp.example.com',
    port: 587,
    tls: 'starttls',
    login: { user: 'u', password: env.PW },
    from: all.smtpFrom,
  })
  expect(JSON.stringify(inForce)).not.toContain(env.PW)
})

test.each([
  ['no sender', { smtpFrom: undefined }, 'smtpHost needs smtpFrom'],
  ['no public URL', { publicUrl: undefined }, 'smtpHost needs publicUrl'],
  ['a user without a password', { smtpPassword: undefined }, 'must be set together'],
  ['a password without a user', { smtpUser: undefined }, 'must be set together'],
  ['a password in clear text', { smtpTls: 'off' }, 'would send smtpPassword unencrypted'],
  ['no host', { smtpHost: undefined }, 'need smtpHost'],
  ['a host with a port', { smtpHost: 'smtp.example.com:25' }, 'without a port'],
  ['a sender with a line break', { smtpFrom: 'a@b.example\nBcc: c@d.example' }, 'email address'],
  ['no port', { smtpPort: '0' }, 'must be a port'],
] as const)('%s is refused', (_name, change, words) => {
  expect(refusalOf({ text: textOf({ ...all, ...change }), env })).toContain(words)
})

test('an unencrypted password may be sent to this machine', () => {
  const { smtp } = loadText({
    text: textOf({ ...all, smtpHost: 'localhost', smtpTls: 'off' }),
    env,
  })
  expect(smtp?.tls).toBe('off')
})
