import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createToken } from '../../../src/admin-tokens/token-store.ts'
import type { RecordingState, RevealedRecording } from '../../../src/console-api/contract.ts'
import { systemRandom } from '../../../src/core/id.ts'
import type { RecordingPolicyEdit } from '../../../src/recording/definition/policy.ts'
import { write } from '../../../src/store/changes/write.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../support/console/console-fixture.ts'
import { addRecording, setPolicy } from '../../support/store/recording-seed.ts'

const dayMs = 24 * 60 * 60_000
const closed: RecordingPolicyEdit = {
  scope: 'all',
  readers: 'owners',
  isOpenToOperators: false,
  retentionDays: 30,
}

let fixture: ConsoleFixture
const cookies = new Map<string, string>()
const people = {
  owner: 'u_owen',
  member: 'u_ann',
  viewer: 'u_vera',
  operator: 'u_root',
  other: 'u_bob',
}
type Person = keyof typeof people

beforeAll(async () => {
  fixture = await openConsoleFixture()
  for (const [who, userId] of Object.entries(people)) cookies.set(who, await fixture.signIn(userId))
  // The second key of acme belongs to the member.
  await fixture.engine.db
    .updateTable('api_key')
    .set({ owner_user_id: people.member })
    .where('id', '=', 'key_a2')
    .execute()
})
afterAll(() => fixture.close())
beforeEach(async () => {
  await fixture.engine.db.deleteFrom('recording').execute()
  await fixture.engine.db.deleteFrom('audit').where('action', 'like', 'recording.%').execute()
  await fixture.engine.db.deleteFrom('recording_erasure').execute()
  await setPolicy(fixture, closed)
})

async function call(who: Person, method: string, path: string, body?: object) {
  const response = await fixture.send(method, `/console/api${path}`, {
    cookie: cookies.get(who),
    ...(body && { body }),
  })
  return { status: response.status, text: await response.text() }
}

const list = '/accounts/acme/recordings'

describe('who may read', () => {
  const rows: [string, RecordingPolicyEdit, Record<Person, 'all' | 'own' | 'none' | 'hidden'>][] = [
    [
      'only owners, by default',
      {},
      { owner: 'all', member: 'none', viewer: 'none', operator: 'none', other: 'hidden' },
    ],
    [
      'members: their own keys',
      { readers: 'own-keys' },
      { owner: 'all', member: 'own', viewer: 'own', operator: 'none', other: 'hidden' },
    ],
    [
      'members: all keys',
      { readers: 'members' },
      { owner: 'all', member: 'all', viewer: 'all', operator: 'none', other: 'hidden' },
    ],
    [
      'operators, too',
      { isOpenToOperators: true },
      { owner: 'all', member: 'none', viewer: 'none', operator: 'all', other: 'hidden' },
    ],
  ]
  test.each(rows)('%s', async (_, edit, reaches) => {
    await setPolicy(fixture, edit)
    const ofService = await addRecording(fixture, { keyId: 'key_a1' })
    const ofMember = await addRecording(fixture, { keyId: 'key_a2' })
    for (const [who, reach] of Object.entries(reaches) as [Person, string][]) {
      const ofOwn = who === 'member' && reach === 'own' ? [ofMember] : []
      const seen = reach === 'all' ? [ofMember, ofService] : ofOwn
      const listed = await call(who, 'GET', list)
      const exported = await call(who, 'POST', `${list}/export`)
      const status = { all: 200, own: 200, none: 403, hidden: 404 }[reach]
      expect([who, listed.status, exported.status]).toEqual([who, status ?? 0, status ?? 0])
      for (const id of [ofService, ofMember]) {
        const revealed = await call(who, 'POST', `/recordings/${id}/reveal`)
        const isSeen = seen.includes(id)
        expect([who, id, revealed.status]).toEqual([
          who,
          id,
          isSeen ? 200 : reach === 'none' ? 403 : 404,
        ])
        for (const { text } of [listed, exported]) expect(text.includes(id)).toBe(isSeen)
      }
      if (reach === 'hidden') continue
      const state = await call(who, 'GET', '/accounts/acme/recording')
      expect(JSON.parse(state.text)).toMatchObject({ mayRead: reach !== 'none', scope: 'all' })
    }
  })

  test.each<[string, string | undefined, string | undefined, RecordingPolicyEdit, number]>([
    ['of an owner for the account', 'u_owen', 'acme', {}, 200],
    ['of an operator for the account', 'u_root', 'acme', {}, 403],
    ['of an operator for the account, open', 'u_root', 'acme', { isOpenToOperators: true }, 200],
    ['of an operator for everything', 'u_root', undefined, {}, 403],
    ['of the command line for the account', undefined, 'acme', {}, 403],
    ['of the command line, open', undefined, undefined, { isOpenToOperators: true }, 200],
  ])('a token %s', async (_, creatorId, accountId, edit, status) => {
    await setPolicy(fixture, edit)
    const id = await addRecording(fixture)
    const { value } = await makeToken(['recordings'], creatorId, accountId)
    const reply = await fixture.admin(value, 'POST', `/recordings/${id}/reveal`)
    expect(reply.status).toBe(status)
    expect((await fixture.admin(value, 'GET', list)).status).toBe(status)
    // Operators who may not read may still erase.
    const erasing = { body: { endUser: 'ann' } }
    const erased = await fixture.admin(value, 'POST', `${list}/erase`, erasing)
    expect(await readJson<object>(erased)).toEqual({ erased: 1 })
  })

  test('a token without the scope reads nothing', async () => {
    const id = await addRecording(fixture)
    for (const scope of ['read', 'usage', 'accounts', 'keys'] as const) {
      const { value } = await makeToken([scope], 'u_owen', 'acme')
      for (const [method, path] of [
        ['GET', list],
        ['POST', `${list}/export`],
        ['POST', `/recordings/${id}/reveal`],
        ['POST', `${list}/erase`],
        ['PATCH', '/accounts/acme/recording'],
      ] as const) {
        const reply = await fixture.admin(value, method, path, {
          body: method === 'GET' ? undefined : {},
        })
        expect([scope, path, reply.status]).toEqual([scope, path, 403])
      }
    }
  })
})

async function makeToken(
  scopes: readonly ('read' | 'usage' | 'accounts' | 'keys' | 'recordings' | 'all')[],
  creatorId: string | undefined,
  accountId: string | undefined,
) {
  const tools = { vault: fixture.vault, random: systemRandom, nowMs: fixture.nowMs() }
  const settings = {
    name: 't',
    scopes,
    accountId: accountId ?? null,
    expiresAt: null,
    addresses: null,
  }
  const creator =
    creatorId === undefined
      ? ({ kind: 'command-line', actor: 'cli' } as const)
      : ({ kind: 'user', userId: creatorId } as const)
  return write(fixture.engine, tools.nowMs, (writing) =>
    createToken(writing, tools, settings, creator),
  )
}

describe('the settings', () => {
  const path = '/accounts/acme/recording'

  test('only an owner changes them, and no operator', async () => {
    for (const who of ['member', 'viewer', 'operator'] as const) {
      const told = await call(who, 'PATCH', path, { isOpenToOperators: true })
      expect([who, told.status]).toEqual([who, 403])
    }
    const { value } = await makeToken(['all'], 'u_root', 'acme')
    const byToken = await fixture.admin(value, 'PATCH', path, { body: { isOpenToOperators: true } })
    expect(byToken.status).toBe(403)
    const changed = await call('owner', 'PATCH', path, { scope: 'keys', keyIds: ['key_a1'] })
    expect(JSON.parse(changed.text) as RecordingState).toMatchObject({
      scope: 'keys',
      keyIds: ['key_a1'],
      isOpenToOperators: false,
      retentionDays: 30,
      isAllowed: true,
    })
    const audits = await auditsOf('recording.changed')
    expect(audits.at(-1)).toMatchObject({ actor: 'u_owen', subject: 'acme' })
  })

  test.each([
    ['owner', ['key_a1', 'key_a2'], 5_000],
    ['operator', ['key_a1', 'key_a2'], 5_000],
    ['member', ['key_a2'], null],
    ['viewer', [], null],
  ] as const)('%s sees the recorded keys %p and the size %p', async (who, keyIds, storedBytes) => {
    await setPolicy(fixture, { scope: 'keys', keyIds: ['key_a1', 'key_a2'] })
    await fixture.engine.db.updateTable('recording_policy').set({ stored_bytes: 5_000 }).execute()
    const told = JSON.parse((await call(who, 'GET', path)).text) as RecordingState
    expect(told).toMatchObject({ scope: 'keys', keyIds, storedBytes, readers: 'owners' })
    await fixture.engine.db.updateTable('recording_policy').set({ stored_bytes: 0 }).execute()
  })

  test('keys of other accounts and wrong values are refused', async () => {
    for (const [body, status] of [
      [{ keyIds: ['key_b1'] }, 409],
      [{ keyIds: ['no such key'] }, 400],
      [{ retentionDays: 0 }, 400],
      [{ scope: 'some' }, 400],
      [{ readers: 'everybody' }, 400],
    ] as const)
      expect([body, (await call('owner', 'PATCH', path, body)).status]).toEqual([body, status])
  })

  test('an operator can forbid recordings', async () => {
    const own = await openConsoleFixture({ recording: { isRecordingAllowed: false } })
    const cookie = await own.signIn('u_owen')
    const send = (body: object) =>
      own.send('PATCH', `/console/api${path}`, { cookie, body }).then((reply) => reply.status)
    expect(await send({ scope: 'all' })).toBe(409)
    expect(await send({ scope: 'off' })).toBe(200)
    await own.close()
  })
})

describe('reading', () => {
  test('a recording has both bodies, and every access is in the audit log', async () => {
    const id = await addRecording(fixture, { request: 'Grüße' })
    const binary = await addRecording(fixture, { request: new Uint8Array([0xff, 0x00]) })
    const told = await call('owner', 'POST', `/recordings/${id}/reveal`)
    expect(JSON.parse(told.text) as RevealedRecording).toEqual({
      requestId: id,
      at: expect.any(Number),
      accountId: 'acme',
      keyId: 'key_a1',
      protocol: 'chat-completions',
      model: 'gpt-x',
      status: 200,
      endUsers: ['ann'],
      request: { text: 'Grüße', encoding: 'utf-8', bytes: 7, isCut: false },
      response: { text: '{"answer":"hello"}', encoding: 'utf-8', bytes: 19, isCut: true },
    })
    const other = await call('owner', 'POST', `/recordings/${binary}/reveal`)
    expect(JSON.parse(other.text).request).toMatchObject({ text: '/wA=', encoding: 'base64' })
    expect((await auditsOf('recording.revealed')).map((row) => row.subject)).toEqual([id, binary])
    const before = (await auditsOf('recording.revealed')).length
    await call('member', 'POST', `/recordings/${id}/reveal`)
    expect((await auditsOf('recording.revealed')).length).toBe(before)
  })

  test.each(['limit=0', 'limit=501', 'limit=x', 'before=no%20cursor', 'before=%00', 'request=1'])(
    'the list refuses %s',
    async (wrong) => {
      const { status, text } = await call('owner', 'GET', `${list}?${wrong}`)
      expect([status, text]).toEqual([400, expect.stringContaining('invalid_request')])
    },
  )

  test('the export and the list filter by key, end user and time', async () => {
    const now = fixture.nowMs()
    const old = await addRecording(fixture, { atMs: now - 5 * dayMs })
    const bens = await addRecording(fixture, { endUser: 'ben', keyId: 'key_a2', atMs: now - dayMs })
    const anns = await addRecording(fixture, { atMs: now - dayMs + 1 })
    const longName = 'n'.repeat(1_000)
    const longs = await addRecording(fixture, { endUser: longName, atMs: now - 9 * dayMs })
    for (const [query, ids] of [
      ['', [anns, bens, old, longs]],
      ['?key=key_a2', [bens]],
      ['?endUser=ann', [anns, old]],
      ['?endUser=nobody', []],
      [`?endUser=${longName}`, [longs]],
      [`?from=${now - 2 * dayMs}`, [anns, bens]],
      [`?to=${now - 2 * dayMs}`, [old, longs]],
      [`?before=${anns}`, [bens, old, longs]],
      [`?request=${bens}`, [bens]],
      [`?request=${bens}&key=key_a1`, []],
    ] as const) {
      const listed = await call('owner', 'GET', list + query)
      const rows: { requestId: string }[] = JSON.parse(listed.text).rows
      expect([query, rows.map((row) => row.requestId)]).toEqual([query, [...ids]])
      const { text } = await call('owner', 'POST', `${list}/export${query}`)
      const lines = text.split('\n').filter((line) => line !== '')
      expect([query, lines.map((line) => JSON.parse(line).requestId)]).toEqual([query, [...ids]])
    }
    const first = JSON.parse((await call('owner', 'GET', `${list}?limit=2`)).text)
    expect(first.next).toBe(bens)
    const audits = await auditsOf('recording.exported')
    expect(audits.length).toBe(10)
    // The audit log contains no end-user id.
    expect(JSON.stringify(audits)).not.toContain('nobody')
  })

  test('an export of many recordings has each once', async () => {
    const ids: string[] = []
    for (let at = 0; at < 120; at += 1)
      ids.push(await addRecording(fixture, { atMs: fixture.nowMs() - at }))
    const { text } = await call('owner', 'POST', `${list}/export`)
    const lines = text.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).requestId)).toEqual(ids)
  })

  test('needs a recent sign-in, and shows nothing that has expired', async () => {
    const id = await addRecording(fixture, { atMs: fixture.nowMs() - 10 * dayMs })
    await setPolicy(fixture, { retentionDays: 9 })
    expect((await call('owner', 'POST', `/recordings/${id}/reveal`)).status).toBe(404)
    expect(JSON.parse((await call('owner', 'GET', list)).text).rows).toEqual([])
    expect((await call('owner', 'POST', `${list}/export`)).text).toBe('')
    await setPolicy(fixture, { retentionDays: 30 })
    const cookie = await fixture.signIn('u_owen')
    fixture.passTime(60 * 60_000)
    for (const [method, path] of [
      ['POST', `/recordings/${id}/reveal`],
      ['POST', `${list}/export`],
    ] as const) {
      const reply = await fixture.send(method, `/console/api${path}`, { cookie })
      expect(await readJson<object>(reply)).toMatchObject({ error: { code: 'reauthenticate' } })
    }
  })
})

describe('erasing', () => {
  test('by an owner or an operator, of this account only, with its count', async () => {
    await addRecording(fixture)
    await addRecording(fixture)
    const bens = await addRecording(fixture, { endUser: 'ben' })
    expect((await call('member', 'POST', `${list}/erase`, { endUser: 'ann' })).status).toBe(403)
    expect((await call('other', 'POST', `${list}/erase`, { endUser: 'ann' })).status).toBe(404)
    expect((await call('owner', 'POST', `${list}/erase`, {})).status).toBe(400)
    const erased = await call('operator', 'POST', `${list}/erase`, { endUser: 'ann' })
    expect(JSON.parse(erased.text)).toEqual({ erased: 2 })
    const again = await call('owner', 'POST', `${list}/erase`, { endUser: 'ann' })
    expect(JSON.parse(again.text)).toEqual({ erased: 0 })
    const rows = await fixture.engine.db.selectFrom('recording').select('request_id').execute()
    expect(rows).toEqual([{ request_id: bens }])
    const audits = await auditsOf('recording.erased')
    expect(audits.at(-1)).toMatchObject({ actor: 'u_owen', subject: 'acme' })
    expect(JSON.stringify(audits)).not.toContain('ann"')
  })
})

function auditsOf(action: string) {
  return fixture.engine.db
    .selectFrom('audit')
    .select(['actor', 'subject', 'after'])
    .where('action', '=', action)
    .orderBy('seq')
    .execute()
}
