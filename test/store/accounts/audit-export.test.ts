import { describe, expect, test } from 'bun:test'
import { createToken } from '../../../src/admin-tokens/token-store.ts'
import { actorOfToken } from '../../../src/admin-tokens/token-value.ts'
import {
  auditColumns,
  exportAudit,
} from '../../../src/console-api/handlers/operate/export-audit.ts'
import type { CallOf } from '../../../src/console-api/routes/route.ts'
import { ExportLimiter } from '../../../src/console-api/rows/export-limiter.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { recordAudit } from '../../../src/store/changes/audit.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'

const vault = createVault(new Uint8Array(32).fill(3))
const rowsMade = 1_234

function callOf(engine: Engine, query: string) {
  const errors: unknown[] = []
  const exports = new ExportLimiter({ nowMs: () => 0, monotonicMs: () => 0 })
  const call = {
    deps: { engine, onError: (error: unknown) => errors.push(error) },
    exports,
    context: { requestId: 'r' },
    session: { userId: 'u' },
    query: Object.fromEntries(new URLSearchParams(query)),
  } as unknown as CallOf<'GET /operate/audit/export'>
  return { call, errors, exports }
}

async function responseOf(call: CallOf<'GET /operate/audit/export'>): Promise<Response> {
  return (await exportAudit(call)).response
}

/** Changes of a token called `=cmd()`, numbered from 0. */
async function fill(engine: Engine): Promise<string> {
  return write(engine, 1, async (writing) => {
    const settings = {
      name: '=cmd()',
      scopes: ['all'],
      accountId: null,
      expiresAt: null,
      addresses: null,
    } as const
    const tools = { vault, random: systemRandom, nowMs: 1 }
    const creator = { kind: 'command-line', actor: 'cli' } as const
    const { token } = await createToken(writing, tools, settings, creator)
    const actor = actorOfToken(token.id)
    for (let n = 0; n < rowsMade; n += 1) {
      const change = { action: 'key.created', subject: `k${n}`, after: { n, value: 'secret' } }
      await recordAudit(writing, { at: 1_000 + n, actor, ...change })
    }
    return token.id
  })
}

describe.each(sharedFixtures('audit export'))('an export of the audit log on $kind', (fixture) => {
  test('has every row once, newest first, with the name of the token that made the change', async () => {
    const engine = await fixture.openMigrated()
    const tokenId = await fill(engine)
    const { call, errors, exports } = callOf(engine, 'format=ndjson')
    const response = await responseOf(call)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    expect(response.headers.get('content-disposition')).toContain('audit.ndjson')
    const text = await response.text()
    expect(text).toEndWith('\n')
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.map(({ subject }) => subject)).toEqual(
      Array.from({ length: rowsMade }, (_, n) => `k${rowsMade - 1 - n}`),
    )
    expect(rows[0]).toMatchObject({
      actor: `token:${tokenId}`,
      actorName: '=cmd()',
      action: 'key.created',
      after: { n: rowsMade - 1 },
    })
    expect(text).not.toContain('secret')
    expect([errors, exports.open]).toEqual([[], 0])
  })

  test('has a header row, and no cell is a formula', async () => {
    const engine = await fixture.openMigrated()
    const tokenId = await fill(engine)
    const { call } = callOf(engine, 'from=1001&to=1003')
    const response = await responseOf(call)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const lines = (await response.text()).split('\r\n')
    expect(lines[0]).toBe(auditColumns.join(','))
    expect(lines.length).toBe(4)
    expect(lines[1]).toMatch(
      new RegExp(`^\\d+,1970-01-01T00:00:01.002Z,token:${tokenId},'=cmd\\(\\),key.created,k2,,,"{`),
    )
  })

  test('stops reading and frees its slot when the client disconnects', async () => {
    const engine = await fixture.openMigrated()
    await fill(engine)
    const { call, errors, exports } = callOf(engine, '')
    const reader = (await responseOf(call)).body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    expect(exports.open).toBe(1)
    await reader?.cancel()
    expect([errors, exports.open]).toEqual([[], 0])
  })

  test('says that it is incomplete when the database fails', async () => {
    const engine = await fixture.openMigrated()
    await fill(engine)
    const { call, errors, exports } = callOf(engine, 'format=ndjson')
    const reader = (await responseOf(call)).body?.getReader()
    const db = engine.db.withPlugin({
      transformQuery: () => {
        throw new Error('no database')
      },
      transformResult: async ({ result }) => result,
    })
    Object.assign(call.deps, { engine: { ...engine, db } })
    // A running export keeps its engine; a new one uses the broken engine.
    const broken = await (await responseOf(call)).text()
    expect(broken).toBe('{"incomplete":true}\n')
    expect(errors).toHaveLength(1)
    await reader?.cancel()
    expect(exports.open).toBe(0)
  })
})
