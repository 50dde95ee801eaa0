import { describe, expect, test } from 'bun:test'
import { putAccount } from '../../../src/accounts/account-store.ts'
import type { AdminToken } from '../../../src/admin-tokens/admin-token.ts'
import type { TokenSettings } from '../../../src/admin-tokens/definition/token.ts'
import { createToken, readToken } from '../../../src/admin-tokens/token-store.ts'
import { TokenUses } from '../../../src/admin-tokens/token-uses.ts'
import { mintTokenValue } from '../../../src/admin-tokens/token-value.ts'
import {
  allowCall,
  authenticateToken,
  rolesOfToken,
  sessionOfToken,
} from '../../../src/console-api/admin/admin-caller.ts'
import { operationsOf } from '../../../src/console-api/admin/route-areas.ts'
import { TagGuard } from '../../../src/console-api/admin/tag-guard.ts'
import { change } from '../../../src/console-api/changes/change.ts'
import {
  createTokenRow,
  listTokenRows,
  revokeTokenRow,
} from '../../../src/console-api/handlers/tokens/change-tokens.ts'
import type { ConsoleDeps } from '../../../src/console-api/ports/console-parts.ts'
import { ApiRefusal } from '../../../src/console-api/refusal.ts'
import { routes } from '../../../src/console-api/routes/routes.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

const vault = createVault(new Uint8Array(32).fill(3))
const nowMs = 5_000

function partsOf(engine: Engine): ConsoleDeps {
  return { engine, vault, clock: { nowMs: () => nowMs, monotonicMs: () => 0 } } as ConsoleDeps
}

function make(engine: Engine, extra: { accountId?: string; addresses?: string[] } = {}) {
  const settings = {
    name: 'ci',
    scopes: ['accounts'],
    accountId: extra.accountId ?? null,
    expiresAt: null,
    addresses: extra.addresses ?? null,
  } as const
  const tools = { vault, random: systemRandom, nowMs }
  return write(engine, nowMs, (writing) =>
    createToken(writing, tools, settings, { kind: 'command-line', actor: 'cli' }),
  )
}

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work()
    return 'done'
  } catch (error) {
    if (error instanceof ApiRefusal) return error.code
    throw error
  }
}

describe.each(sharedFixtures('admin callers'))('a caller of the admin API on $kind', (fixture) => {
  test('sends its token as a bearer token', async () => {
    const engine = await fixture.openMigrated()
    const { token, value } = await make(engine, { addresses: ['10.0.0.0/8'] })
    const uses = new TokenUses(engine, () => undefined)
    const ask = (authorization: string | undefined, address = '10.0.0.1') =>
      codeOf(() => {
        const headers = new Headers(authorization === undefined ? {} : { authorization })
        return authenticateToken(partsOf(engine), uses, { headers, address })
      })
    expect(await ask(undefined)).toBe('invalid_token')
    for (const text of [
      '',
      'Bearer',
      value,
      `Basic ${value}`,
      `Bearer ${value} x`,
      `Bearer x${value}`,
    ]) {
      expect([text, await ask(text)]).toEqual([text, 'invalid_token'])
    }
    expect(await ask(`Bearer ${mintTokenValue(systemRandom)}`)).toBe('invalid_token')
    expect(await ask(`Bearer ${value}`, '11.0.0.1')).toBe('address_not_allowed')
    await uses.written()
    // A refused call does not count as a use of the token.
    expect((await readToken(engine.db, token.id))?.usedAtMs).toBeUndefined()
    expect(await ask(`bearer  ${value}`)).toBe('done')
    await uses.written()
    expect(await readToken(engine.db, token.id)).toMatchObject({
      usedAtMs: nowMs,
      usedAddress: '10.0.0.1',
    })
  })

  test('is rejected beyond the token’s rights, and its changes are logged under the token’s name', async () => {
    const engine = await fixture.openMigrated()
    await write(engine, 1, (writing) => putAccount(writing, 1, { id: 'a', name: 'A' }))
    const gateway = (await make(engine)).token
    const ofAccount = (await make(engine, { accountId: 'a' })).token
    const ask = (token: AdminToken, name: string) =>
      codeOf(() => {
        const route = routes.find(({ method, path }) => `${method} ${path}` === name)
        if (!route) throw new Error(`there is no ${name}`)
        allowCall(token, operationsOf(route))
      })
    expect(await ask(gateway, 'PATCH /operate/accounts/{id}')).toBe('done')
    expect(await ask(ofAccount, 'PATCH /operate/accounts/{id}')).toBe('scope_missing')
    expect(await ask(ofAccount, 'PATCH /accounts/{id}')).toBe('done')
    expect(await ask(gateway, 'POST /operate/accounts/{id}/credits')).toBe('scope_missing')
    expect(await ask(gateway, 'POST /password')).toBe('not_allowed')
    expect([rolesOfToken(gateway), rolesOfToken(ofAccount)]).toEqual([
      undefined,
      new Map([['a', 'owner']]),
    ])
    expect(sessionOfToken(gateway, nowMs).isAdmin).toBe(true)
    const session = sessionOfToken(ofAccount, nowMs)
    expect(session.isAdmin).toBe(false)
    await change({ deps: partsOf(engine), session }, (changing) =>
      changing.record({ action: 'account.renamed', subject: 'a' }),
    )
    const [row] = await engine.db.selectFrom('audit').selectAll().execute()
    expect(row?.actor).toBe(`token:${ofAccount.id}`)
  })

  test('creates and revokes tokens within its own rights', async () => {
    const engine = await fixture.openMigrated()
    await write(engine, 1, async (writing) => {
      for (const id of ['a', 'b']) await putAccount(writing, 1, { id, name: id })
    })
    const callAs = (token: AdminToken) => ({
      deps: { ...partsOf(engine), random: systemRandom },
      session: sessionOfToken(token, nowMs),
      scope: { accountIds: token.accountId === undefined ? undefined : [token.accountId] },
    })
    const makeToken = async (call: ReturnType<typeof callAs>, wanted: TokenSettings) =>
      (await createTokenRow({ ...call, body: async () => wanted })).body
    const endToken = async (call: ReturnType<typeof callAs>, id: string) =>
      (await revokeTokenRow({ ...call, id })).body
    const request = {
      name: 'n',
      scopes: ['keys'],
      accountId: null,
      expiresAt: null,
      addresses: null,
    } as const
    const weak = (await make(engine)).token
    expect(await codeOf(() => makeToken(callAs(weak), request))).toBe('scope_missing')
    const settings = { ...request, scopes: ['all'] } as const
    const tools = { vault, random: systemRandom, nowMs }
    const strong = await write(engine, nowMs, (writing) =>
      createToken(
        writing,
        tools,
        { ...settings, accountId: 'a' },
        { kind: 'command-line', actor: 'cli' },
      ),
    )
    const call = callAs(strong.token)
    const made = await makeToken(call, request)
    expect(made.token).toMatchObject({ accountId: 'a', madeBy: `token:${strong.token.id}` })
    expect(JSON.stringify(made.token)).not.toContain(made.value)
    expect(await codeOf(() => makeToken(call, { ...request, accountId: 'b' }))).toBe('unfit')
    const { tokens, next } = (await listTokenRows({ ...call, query: {} })).body
    expect([tokens.map(({ id }) => id).toSorted(), next]).toEqual([
      [made.token.id, strong.token.id].toSorted(),
      null,
    ])
    // A token for the whole gateway does not exist for an account.
    expect(await codeOf(() => endToken(call, weak.id))).toBe('not_found')
    expect(await endToken(call, made.token.id)).toEqual({ revoked: [made.token.id] })
    expect(await endToken(call, made.token.id)).toEqual({ revoked: [] })
    const audit = await engine.db.selectFrom('audit').selectAll().orderBy('seq').execute()
    const actor = `token:${strong.token.id}`
    expect(audit.map((row) => [row.actor, row.action, row.subject])).toEqual([
      [actor, 'token.created', made.token.id],
      [actor, 'token.revoked', made.token.id],
    ])
    expect(JSON.stringify(audit)).not.toContain(made.value)
  })

  const account = { method: 'PUT', path: '/operate/accounts/{id}' } as const
  const everything = { accountIds: undefined }
  const place = { id: 'a', query: new URLSearchParams() }

  test('of twenty changes with the same precondition one succeeds', async () => {
    const [engine, other] = await fixture.openTwo()
    await write(engine, 1, (writing) => putAccount(writing, 1, { id: 'a', name: 'A' }))
    const seen = new TagGuard(account, { ...place, headers: new Headers() })
    await seen.after(engine.db, everything)
    const headers = new Headers({ 'if-match': seen.tag ?? '' })
    const rename = (on: Engine, name: string) =>
      codeOf(() =>
        write(on, 2, async (writing) => {
          await new TagGuard(account, { ...place, headers }).before(writing.tx, everything)
          await putAccount(writing, 2, { id: 'a', name })
        }),
      )
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => rename(n % 2 === 0 ? engine : other, `B${n}`)),
    )
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'precondition_failed')).toHaveLength(19)
  })

  test('of twenty calls that create the same resource one succeeds', async () => {
    const [engine, other] = await fixture.openTwo()
    const headers = new Headers({ 'if-none-match': '*' })
    const create = (on: Engine) =>
      codeOf(() =>
        write(on, 2, async (writing) => {
          await new TagGuard(account, { ...place, headers }).before(writing.tx, everything)
          await putAccount(writing, 2, { id: 'a', name: 'A' })
        }),
      )
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => create(n % 2 === 0 ? engine : other)),
    )
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1)
  })
})
