import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { redeemSignInLink } from '../../../src/accounts/sign-in-link.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { type Terminal, terminals } from './run-line.ts'

const openTerminal = terminals({ hasDatabase: true })

const users = `provision:
  users:
    - { email: a@example.com, role: admin }
    - { email: m@example.com, role: member }
`

async function openWithUsers(): Promise<Terminal> {
  const terminal = openTerminal()
  writeFileSync(join(terminal.cwd, 'tollgate.yaml'), users)
  await terminal.run('apply')
  return terminal
}

/** The user who signs in with the link's token, and the rows of the audit log. */
async function redeem({ cwd }: Terminal, url: string) {
  const token = url.trim().split('#')[1] ?? ''
  const vault = createVault(readFileSync(join(cwd, 'data', 'secret')).subarray(0, 43))
  const engine = await openStore(`sqlite://${join(cwd, 'data', 'tollgate.db')}`)
  try {
    const origin = { address: '127.0.0.1', agent: null }
    const parts = { token, vault, random: systemRandom, nowMs: Date.now(), origin }
    const redeemed = await redeemSignInLink(engine, parts)
    const session = 'token' in redeemed ? redeemed : undefined
    const user = await engine.db
      .selectFrom('console_user')
      .select('email')
      .where('id', '=', session?.userId ?? '')
      .executeTakeFirst()
    const audit = await engine.db.selectFrom('audit').selectAll().orderBy('seq').execute()
    return { token, userId: session?.userId, email: user?.email, audit }
  } finally {
    await engine.close()
  }
}

const rows: [line: string, base: string, email: string][] = [
  ['sign-in-link', 'http://127.0.0.1:8080', 'a@example.com'],
  ['sign-in-link M@Example.com --listen :9000', 'http://localhost:9000', 'm@example.com'],
  [
    'sign-in-link --public-url https://models.example.com',
    'https://models.example.com',
    'a@example.com',
  ],
  ['sign-in-link --listen [::1]:9000', 'http://[::1]:9000', 'a@example.com'],
]

for (const [line, base, email] of rows) {
  test(`${line}: a link for ${email}, which works once and is recorded without its token`, async () => {
    const terminal = await openWithUsers()
    const { code, out, err } = await terminal.run(line)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toStartWith(`${base}/console/sign-in#`)
    const first = await redeem(terminal, out)
    expect(first.email).toBe(email)
    expect((await redeem(terminal, out)).userId).toBeUndefined()
    const made = first.audit.filter(({ actor }) => actor === 'cli')
    expect(made.map(({ action, subject }) => [action, subject])).toEqual([
      ['user.sign-in-link-made', first.userId ?? ''],
    ])
    expect(JSON.stringify(first.audit)).not.toContain(first.token)
  })
}

test('each call creates a new link', async () => {
  const terminal = await openWithUsers()
  const [one, two] = [await terminal.run('sign-in-link'), await terminal.run('sign-in-link')]
  expect(one.out).not.toBe(two.out)
})
