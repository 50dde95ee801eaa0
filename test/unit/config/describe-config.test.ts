import { describe, expect, test } from 'bun:test'
import { describeConfig } from '../../../src/config/describe-config.ts'
import { maskKey, maskUrl } from '../../../src/config/mask.ts'
import { loadText } from './load-text.ts'

const text = `
database: postgres://tollgate:hidden-db@db.example/tollgate
secret: hidden-secret-of-more-than-thirty-two-characters
provision:
  groups: [{ id: closed, accounts: [acme] }]
  upstreams:
    - { id: one, vendor: openai, credential: hidden-credential, models: [] }
    - { id: two, vendor: openai, credentials: [env:HIDDEN, { name: spare, value: hidden }], models: [],
        proxy: 'http://hidden-user:hidden-word@proxy:3128', enabled: false }
  users: [{ email: a@example.com, password: hidden-password }]
  keys: [{ id: k1, account: acme, value: sk-hidden-0123456789-wxyz }]
`

test('effective settings are shown with their sources and without secrets', () => {
  const env = { OPENAI_API_KEY: 'hidden-openai', HIDDEN: 'hidden-too', TOLLGATE_BRAND: 'acme' }
  const config = loadText({ text, env, flags: { listen: ':9' } })
  const told = describeConfig(config)
  expect(told.replace('HIDDEN', '')).not.toMatch(/hidden/i)
  expect(told).toContain('postgres://tollgate:••••••@db.example/tollgate')
  expect(told).toContain('sk-…wxyz')
  expect(told).toMatch(/^listen: +:9 +# --listen$/m)
  expect(told).toMatch(/^brand: +acme +# TOLLGATE_BRAND$/m)
  expect(told).toMatch(/^secret: +•••••• +# tollgate.yaml:3$/m)
  expect(told).toMatch(/^demo: +auto +# default$/m)
  expect(told).toContain('credentials HIDDEN ••••••, spare ••••••')
  expect(told).toContain('proxy http://••••••@proxy:3128, switched off')
  expect(told).toMatch(/^- group +closed +for acme/m)
  expect(config.file?.holdsSecrets).toBe(true)
})

describe('a file contains secrets only when they are written out in it', () => {
  const rows: [string, boolean][] = [
    ['brand: x', false],
    ['database: postgres://u@h/d', false],
    ['database: postgres://u:p@h/d', true],
    ['secret: env:S', false],
    ['provision:\n  users: [{ email: a@b, password: env:S }]', false],
    ['provision:\n  users: [{ email: a@b, password: 12345678abc }]', true],
  ]
  for (const [written, holdsSecrets] of rows) {
    test(written, () => {
      const env = { S: 'a secret that is long enough for anything' }
      expect(loadText({ text: written, env }).file?.holdsSecrets).toBe(holdsSecrets)
    })
  }
})

test('a secret from the environment does not make the file secret', () => {
  const env = { TOLLGATE_SECRET: 'a secret that is long enough for anything' }
  expect(loadText({ text: 'brand: x', env }).file?.holdsSecrets).toBe(false)
})

test('passwords in database URLs are masked at every position', () => {
  const rows: [string, string][] = [
    ['postgres://u:p@h:5432/d', 'postgres://u:••••••@h:5432/d'],
    ['postgres://u:p:q@h/d', 'postgres://u:••••••@h/d'],
    ['postgres://u:p@r@h/d', 'postgres://u:••••••@h/d'],
    [
      'postgres://h/d?user=u&password=p&sslmode=require',
      'postgres://h/d?user=u&password=••••••&sslmode=require',
    ],
    ['postgres://u@h/d', 'postgres://u@h/d'],
    ['sqlite:///srv/a:b@c.db', 'sqlite:///srv/a:b@c.db'],
  ]
  for (const [url, shown] of rows) expect(maskUrl(url)).toBe(shown)
})

test('no part of a short value is shown', () => {
  expect(maskKey('short')).toBe('••••••')
})
