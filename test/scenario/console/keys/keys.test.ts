import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type {
  ErrorAnswer,
  KeyOptions,
  KeyRow,
  KeysAnswer,
  KeyWithValue,
  RevealedKey,
} from '../../../../src/console-api/contract.ts'
import { openKeyDirectory } from '../../../../src/keys/key-directory.ts'
import { isMintedKeyValue } from '../../../../src/keys/key-value.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'
import { annPassword, secretValues } from '../../../support/console/console-seed.ts'

const api = '/console/api'
const minuteMs = 60_000

let fixture: ConsoleFixture
let owner: string

beforeAll(async () => {
  fixture = await openConsoleFixture()
  owner = await fixture.signIn('u_owen')
})
afterAll(() => fixture.close())

const newKey = {
  accountId: 'acme',
  name: ' Robot 7 ',
  groups: ['default'],
  models: ['gpt-x'],
  addresses: ['10.0.0.0/8', '::1'],
  quotaNano: '2500000001',
  expiresAt: Date.now() + 30 * 24 * 60 * minuteMs,
  isEnabled: true,
}

async function send<Body>(method: string, path: string, body: unknown = {}, cookie = owner) {
  const response = await fixture.send(method, `${api}${path}`, { cookie, body })
  return { status: response.status, body: await readJson<Body>(response) }
}

const refusalOf = async (method: string, path: string, body: unknown, cookie = owner) => {
  const { status, body: answer } = await send<ErrorAnswer>(method, path, body, cookie)
  return { status, code: answer.error.code, field: answer.error.field }
}

async function auditOf(subject: string) {
  return fixture.engine.db
    .selectFrom('audit')
    .selectAll()
    .where('subject', '=', subject)
    .orderBy('seq')
    .execute()
}

/** Whether the gateway accepts the value, as a newly started process would see it. */
async function isTaken(value: string): Promise<boolean> {
  const directory = await openKeyDirectory(fixture.engine, fixture.vault)
  return (await directory.find(value))?.isEnabled === true
}

describe('a key', () => {
  test('is created, edited, shown, rotated and deleted, each with a row in the audit log', async () => {
    const made = await send<KeyWithValue>('POST', '/keys', newKey)
    expect(made.status).toBe(200)
    const { key, value } = made.body
    expect(key).toMatchObject({
      name: 'Robot 7',
      state: 'active',
      groups: ['default'],
      models: ['gpt-x'],
      addresses: ['10.0.0.0/8', '::1'],
      quotaNano: '2500000001',
      spentNano: '0',
      expiresAt: newKey.expiresAt,
      lastUsedAt: null,
    })
    expect(isMintedKeyValue(value)).toBe(true)
    expect(await isTaken(value)).toBe(true)

    const edited = await send<KeyRow>('PATCH', `/keys/${key.id}`, {
      models: null,
      quotaNano: null,
      isEnabled: false,
    })
    expect(edited.body).toMatchObject({
      name: 'Robot 7',
      models: null,
      quotaNano: null,
      state: 'disabled',
      addresses: ['10.0.0.0/8', '::1'],
    })
    expect(await isTaken(value)).toBe(false)
    await send('PATCH', `/keys/${key.id}`, { isEnabled: true })

    const shown = await send<RevealedKey>('POST', `/keys/${key.id}/reveal`)
    expect(shown.body.value).toBe(value)

    const rotated = await send<KeyWithValue>('POST', `/keys/${key.id}/rotate`)
    expect(rotated.body.value).not.toBe(value)
    expect([await isTaken(value), await isTaken(rotated.body.value)]).toEqual([false, true])

    expect((await send('DELETE', `/keys/${key.id}`)).status).toBe(200)
    expect(await isTaken(rotated.body.value)).toBe(false)
    expect((await refusalOf('PATCH', `/keys/${key.id}`, { name: 'x' })).status).toBe(404)
    expect((await refusalOf('POST', `/keys/${key.id}/reveal`, {})).status).toBe(404)
    const { keys } = await readJson<KeysAnswer>(fixture.get(`${api}/keys`, { cookie: owner }))
    expect(keys.map((each) => each.id)).not.toContain(key.id)

    const audit = await auditOf(key.id)
    expect(audit.map((row) => [row.actor, row.action])).toEqual(
      ['created', 'changed', 'enabled', 'revealed', 'rotated', 'deleted'].map((word) => [
        'u_owen',
        `key.${word}`,
      ]),
    )
    const text = JSON.stringify(audit)
    for (const secret of [value, rotated.body.value]) expect(text).not.toContain(secret)
    expect(JSON.parse(audit[1]?.before ?? '')).toMatchObject({ quotaNano: '2500000001' })
    expect(JSON.parse(audit[1]?.after ?? '')).toMatchObject({ quotaNano: null })
  })

  test('never has its value in a list, and has its name in the log after its deletion', async () => {
    const response = await fixture.get(`${api}/keys`, { cookie: owner })
    expect(await response.text()).not.toContain(secretValues.key)
    await fixture.engine.db
      .updateTable('api_key')
      .set({ deleted_at: 1 })
      .where('id', '=', 'key_g1')
      .execute()
    const bob = await fixture.signIn('u_bob')
    const log = await fixture.get(`${api}/usage`, { cookie: bob })
    expect(await log.text()).toContain('Globex server')
  })

  test('shows when it was last used, and is found by a part of its name', async () => {
    const { keys } = await readJson<KeysAnswer>(
      fixture.get(`${api}/keys?search=LAPTOP&sort=name`, { cookie: owner }),
    )
    expect(keys.map((key) => key.name)).toEqual(['Laptop', 'Old laptop'])
    expect(keys[0]?.lastUsedAt).toBe(fixture.nowMs() - 7 * minuteMs)
    expect(keys[1]?.lastUsedAt).toBeNull()
    const none = await readJson<KeysAnswer>(
      fixture.get(`${api}/keys?search=%25`, { cookie: owner }),
    )
    expect(none.keys).toEqual([])
  })
})

describe('showing a value', () => {
  test('requires the password when the sign-in is older than five minutes', async () => {
    const cookie = await fixture.signIn('u_owen')
    fixture.passTime(5 * minuteMs + 1)
    const audited = (await auditOf('key_a1')).length
    const refused = await refusalOf('POST', '/keys/key_a1/reveal', {}, cookie)
    expect(refused).toMatchObject({ status: 403, code: 'reauthenticate' })
    expect(await auditOf('key_a1')).toHaveLength(audited)
    const wrong = await refusalOf('POST', '/reauthenticate', { password: 'not this one' }, cookie)
    expect(wrong).toMatchObject({ status: 401, code: 'wrong_credentials' })
    expect((await refusalOf('POST', '/keys/key_a1/reveal', {}, cookie)).status).toBe(403)
    const right = await send('POST', '/reauthenticate', { password: annPassword }, cookie)
    expect(right.status).toBe(200)
    const shown = await send<RevealedKey>('POST', '/keys/key_a1/reveal', {}, cookie)
    expect(shown.body.value).toBe(secretValues.key)
    expect((await auditOf('key_a1')).map((row) => row.action)).toEqual(['key.revealed'])
    fixture.passTime(-5 * minuteMs - 1)
  })
})

describe('a key is refused', () => {
  const wrong: [name: string, change: Record<string, unknown>, field: string][] = [
    ['without a name', { name: ' ' }, 'name'],
    ['with a name of two lines', { name: 'a\nb' }, 'name'],
    ['without a group', { groups: [] }, 'groups'],
    ['with a duplicate group', { groups: ['default', 'default'] }, 'groups'],
    ['in a group that does not exist', { groups: ['nowhere'] }, 'groups'],
    ['with an invalid address', { addresses: ['10.0.0.300'] }, 'addresses'],
    ['with addresses that are not texts', { addresses: [7] }, 'addresses'],
    ['with a quota of half a nano', { quotaNano: '0.5' }, 'quotaNano'],
    ['with a negative quota', { quotaNano: '-1' }, 'quotaNano'],
    ['with a quota as a number', { quotaNano: 5 }, 'quotaNano'],
    ['with an expiry in the past', { expiresAt: 1_000 }, 'expiresAt'],
    ['with an unknown status', { isEnabled: 'yes' }, 'isEnabled'],
  ]
  for (const [name, change, field] of wrong) {
    test(name, async () => {
      const before = await fixture.engine.db.selectFrom('api_key').selectAll().execute()
      const made = await refusalOf('POST', '/keys', { ...newKey, ...change })
      // Valid by itself, but not in the current state.
      const isUnfit =
        name === 'in a group that does not exist' || name === 'with an expiry in the past'
      const told = isUnfit
        ? ({ status: 409, code: 'unfit', field } as const)
        : ({ status: 400, code: 'invalid_request', field } as const)
      expect(made).toEqual(told)
      const edited = await refusalOf('PATCH', '/keys/key_a2', change)
      expect(edited).toEqual(told)
      expect(await fixture.engine.db.selectFrom('api_key').selectAll().execute()).toEqual(before)
    })
  }

  test('in a group that is another account’s', async () => {
    const { db } = fixture.engine
    await db
      .insertInto('service_group')
      .values({ id: 'private', factor_micro: 1, restricted: 1, created_at: 1 })
      .execute()
    await db
      .insertInto('group_grant')
      .values({ group_id: 'private', account_id: 'globex', ends_at: null })
      .execute()
    const refused = await refusalOf('POST', '/keys', { ...newKey, groups: ['private'] })
    expect(refused.field).toBe('groups')
    const options = await readJson<KeyOptions>(
      fixture.get(`${api}/key-options?account=acme`, { cookie: owner }),
    )
    expect(options.groups.map((group) => group.id)).toEqual(['default'])
  })
})

test('the form gets groups, models, the caller’s address and the URLs for clients', async () => {
  const options = await readJson<KeyOptions>(
    fixture.get(`${api}/key-options?account=acme`, { cookie: owner }),
  )
  expect(options).toMatchObject({
    groups: [{ id: 'default', factor: '1.5', modelCount: 1, until: null }],
    models: [{ id: 'gpt-x', displayName: 'GPT X', groups: ['default'] }],
    mayOwn: true,
    yourAddress: '127.0.0.1',
  })
  expect(options.endpoints.map(({ protocol, baseUrl }) => [protocol, baseUrl])).toEqual([
    ['chat-completions', `${fixture.url}/v1`],
    ['responses', `${fixture.url}/v1`],
    ['messages', fixture.url],
    ['generate-content', fixture.url],
  ])
})
