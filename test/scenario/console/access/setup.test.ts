import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readCatalog } from '../../../../src/catalog/read-catalog.ts'
import type {
  SessionAnswer,
  SetupAnswer,
  UpstreamDetail,
} from '../../../../src/console-api/contract.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
  readJson,
} from '../../../support/console/console-fixture.ts'

const api = '/console/api'
let fixture: ConsoleFixture
let root: string

beforeEach(async () => {
  fixture = await openConsoleFixture()
  const { db } = fixture.engine
  // A newly started gateway: only its administrator and an account.
  for (const table of ['route', 'price_version', 'model', 'service_group'] as const) {
    await db.deleteFrom(table).execute()
  }
  await db.deleteFrom('upstream_credential').execute()
  await db.deleteFrom('upstream').execute()
  await db.updateTable('api_key').set({ deleted_at: 1 }).execute()
  root = await fixture.signIn('u_root')
})
afterEach(() => fixture.close())

const send = async <Body>(method: string, path: string, body: unknown = {}): Promise<Body> => {
  const response = await fixture.send(method, `${api}${path}`, { cookie: root, body })
  expect([path, response.status]).toEqual([path, 200])
  return readJson<Body>(response)
}
const setup = () => send<SetupAnswer>('GET', '/setup')

const price = {
  inputNano: '1000000000',
  cacheReadNano: '0',
  cacheWrite5mNano: '0',
  cacheWrite1hNano: '0',
  outputNano: '2000000000',
  requestNano: '0',
}

test('the set-up leads from an empty gateway to a key, and is offered until it is closed', async () => {
  expect((await send<SessionAnswer>('GET', '/session')).isSetupOpen).toBe(true)
  expect(await setup()).toMatchObject({
    isOpen: true,
    hasPassword: false,
    hasUpstream: false,
    upstreamId: null,
    hasModel: false,
    hasKey: false,
  })
  await send('POST', '/password', { password: 'a password of one’s own' })
  await send<UpstreamDetail>('POST', '/operate/upstreams', {
    id: 'first',
    vendor: 'openai',
    protocol: 'any',
    baseUrl: null,
    isEnabled: true,
    concurrencyMax: null,
    timeouts: {},
    ca: null,
    allowsPrivate: false,
    probe: null,
    parameters: null,
    credential: 'sk-0123456789abcdefghij',
  })
  await send('POST', '/setup/model', {
    group: 'default',
    upstream: 'first',
    model: 'gpt-new',
    upstreamModel: 'gpt-new-2026',
    displayName: 'GPT New',
    maxOutputTokens: 1_000,
    price,
  })
  const catalog = await readCatalog(fixture.engine, fixture.vault, undefined)
  expect(catalog.routes.get('default')?.get('gpt-new')).toMatchObject([
    { upstream: { id: 'first' }, upstreamModel: 'gpt-new-2026' },
  ])
  expect(catalog.models.get('gpt-new')?.prices).toHaveLength(1)
  expect(await setup()).toMatchObject({
    isOpen: true,
    upstreamId: 'first',
    hasModel: true,
    hasKey: false,
  })
  const { accountId } = await setup()
  await send('POST', '/keys', { accountId, name: 'First', groups: ['default'] })
  expect(await setup()).toMatchObject({ isOpen: false, hasKey: true })
})

test('skipped, it is not offered again', async () => {
  await fixture.engine.db.updateTable('api_key').set({ deleted_at: 1 }).execute()
  expect((await setup()).isOpen).toBe(true)
  await send('POST', '/setup/close')
  expect((await setup()).isOpen).toBe(false)
  expect((await send<SessionAnswer>('GET', '/session')).isSetupOpen).toBe(false)
})

test('a member never sees it', async () => {
  const ann = await fixture.signIn('u_ann')
  const session = await readJson<SessionAnswer>(fixture.get(`${api}/session`, { cookie: ann }))
  expect(session.isSetupOpen).toBe(false)
})
