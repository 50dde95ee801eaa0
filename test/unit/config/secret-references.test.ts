import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sentSecrets } from '../../../src/config/secret-reader.ts'
import { loadConfig } from '../../../src/config.ts'
import { vendors } from '../../../src/vendors/index.ts'
import { atEnd } from '../../support/at-end.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-secrets-'))
atEnd(() => rmSync(folder, { recursive: true, force: true }))
const secret = 'a-secret-in-a-file-long-enough-for-all'

function write(name: string, text: string, mode = 0o600): void {
  writeFileSync(join(folder, name), text)
  chmodSync(join(folder, name), mode)
}

write('plain', secret)
write('lines', `${secret}\r\n`)
write('empty', '\n')
write('long', 'x'.repeat(70_000))
write('say', `#!/bin/sh\necho "$1$TOLLGATE_SECRET$EXTRA"\necho private >&2\n`, 0o700)
write('fail', '#!/bin/sh\necho private\necho private >&2\nexit 3\n', 0o700)
write('much', '#!/bin/sh\nhead -c 100000 /dev/zero\n', 0o700)
write('none', '#!/bin/sh\n', 0o700)

function load(text: string): string | undefined {
  const env = { TOLLGATE_SECRET: text, EXTRA: '-extra' }
  return loadConfig({ vendors, env, cwd: folder }).secret
}

describe('a secret is read from where it is referenced', () => {
  test.each([
    ['file:plain', secret],
    ['file:lines', secret],
    [`file:${join(folder, 'plain')}`, secret],
    // The argument is one word that nothing expands, and the gateway's own variables are not passed on.
    ['exec:./say $(id)-thirty-two-characters-long;ls', '$(id)-thirty-two-characters-long;ls-extra'],
  ])('%s', (text, value) => {
    expect(load(text)).toBe(value)
  })

  test.each([
    ['file:missing', 'refers to the file missing, which cannot be read: ENOENT'],
    ['file:empty', 'refers to the file empty, which gives nothing'],
    ['file:long', 'refers to the file long, which gives more than 65536 bytes'],
    ['exec:', 'has no name'],
    ['exec:./missing a', 'refers to the program ./missing, which cannot be read: there is no such'],
    ['exec:./plain a', 'it may not be executed'],
    ['exec:./fail hidden-argument', 'it ended with code 3'],
    ['exec:./none', 'gives nothing'],
    ['exec:./much', 'prints more than 65536 bytes'],
  ])('%s is an error', (text, message) => {
    let said = ''
    try {
      load(text)
    } catch (error) {
      said = error instanceof Error ? error.message : ''
    }
    expect(said).toContain('The environment variable TOLLGATE_SECRET ')
    expect(said).toContain(message)
    expect(said).not.toContain('private')
    expect(said).not.toContain('hidden-argument')
  })

  test('credentials of upstreams in the config file', () => {
    const upstream =
      'vendor: openai, baseUrl: https://one.example/v1, protocol: chat-completions, groups: [default], models: [m]'
    const text = `provision:
  groups: [{ id: default }]
  models: [{ id: m, price: { input: 1, output: 1 } }]
  upstreams:
    - { id: one, credential: "file:plain", ${upstream} }
    - { id: two, credential: "exec:./say key-", ${upstream} }
`
    writeFileSync(join(folder, 'tollgate.yaml'), text)
    const { provision, file } = loadConfig({ vendors, env: { EXTRA: 'x' }, cwd: folder })
    const values = provision.upstreams.map(({ credentials }) => credentials?.[0]?.value)
    expect(values).toEqual([secret, 'key-x'])
    expect(file?.holdsSecrets).toBe(false)
    rmSync(join(folder, 'tollgate.yaml'))
  })
})

describe('a URL with a password is read from where it is referenced', () => {
  write('postgres', 'postgres://ann:hidden-word@db.example:5432/tollgate\n')
  write('embedded', 'sqlite://kept/other.db')
  write('redis', 'rediss://:hidden-word@cache.example:6379/2\n')
  write('no-url', 'hidden-word')
  const loadFile = (name: string, reference: string) => {
    writeFileSync(join(folder, 'tollgate.yaml'), `${name}: "${reference}"\n`)
    return loadConfig({ vendors, env: { URL_OF_DATABASE: 'sqlite://in.db' }, cwd: folder })
  }

  test.each([
    ['database', 'file:postgres', 'postgres://ann:hidden-word@db.example:5432/tollgate'],
    ['database', 'exec:cat postgres', 'postgres://ann:hidden-word@db.example:5432/tollgate'],
    ['database', 'file:embedded', `sqlite://${join(folder, 'kept/other.db')}`],
    ['database', 'env:URL_OF_DATABASE', `sqlite://${join(folder, 'in.db')}`],
    ['limits', 'file:redis', 'rediss://:hidden-word@cache.example:6379/2'],
  ] as const)('%s: %s', (name, reference, value) => {
    const config = loadFile(name, reference)
    expect(config[name]).toBe(value)
    expect(config.file?.holdsSecrets).toBe(false)
    expect(JSON.stringify(config.inForce)).not.toContain('hidden-word')
  })

  test.each([
    ['database', 'file:no-url', 'tollgate.yaml:1: database must be sqlite://'],
    ['limits', 'file:no-url', 'tollgate.yaml:1: limits must be redis://'],
    ['database', 'file:missing', 'database refers to the file missing, which cannot be read'],
    ['limits', 'env:NO_SUCH', 'limits refers to the environment variable NO_SUCH'],
  ])('%s: %s is an error', (name, reference, message) => {
    let said = ''
    try {
      loadFile(name, reference)
    } catch (error) {
      said = error instanceof Error ? error.message : ''
    }
    expect(said).toContain(message)
    expect(said).not.toContain('hidden-word')
  })

  test('a password in the file counts as a secret, a URL without a password does not', () => {
    const holds = (text: string) => loadFile('limits', text).file?.holdsSecrets
    expect(holds('redis://:hidden-word@cache.example')).toBe(true)
    expect(holds('redis://cache.example')).toBe(false)
    rmSync(join(folder, 'tollgate.yaml'))
  })
})

test.each(['env:HOME', 'file:/etc/hostname', 'exec:id'])(
  'a document that was sent cannot use %s of the gateway',
  (text) => {
    expect(sentSecrets.read(text)).toEqual({
      wrong: expect.stringContaining('is not allowed in a sent document'),
    })
  },
)
