import type { Insertable } from 'kysely'
import { credentialPurpose } from '../../../src/catalog/catalog-store.ts'
import { newRequestId } from '../../../src/core/id.ts'
import { costOf, type Price } from '../../../src/core/money/price.ts'
import { noUsage } from '../../../src/core/money/usage.ts'
import { sealPurpose } from '../../../src/keys/key-store.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { hashPassword } from '../../../src/store/secrets/password.ts'
import type { Vault } from '../../../src/store/secrets/vault.ts'
import type { AttemptTable, EntryTable, UsageRowTable } from '../../../src/store/tables/tables.ts'
import { usageShapes } from '../../../src/usage/usage-shapes.ts'
import { priceRow } from '../price-row.ts'

export const annPassword = 'correct horse battery'
/** Values that must never leave the database through the console. */
export const secretValues = {
  key: 'sk-this-value-must-never-be-in-an-answer',
  upstream: 'upstream-credential-that-nobody-may-read',
}

const minuteMs = 60_000
const dollarNano = 1_000_000_000n
const factorMicro = 1_500_000n
const price: Price = {
  versionId: 'price_1',
  inputNano: 2_500_000_000n,
  cacheReadNano: 1_250_000_003n,
  cacheWrite5mNano: 0n,
  cacheWrite1hNano: 0n,
  outputNano: 10_000_000_000n,
  requestNano: 0n,
}

export interface Seeded {
  /** Newest first. */
  readonly acmeRequestIds: readonly string[]
  readonly globexRequestId: string
  readonly costNano: bigint
}

/** In the log of Acme: more than two pages of the console. */
export const usualRequests = 120

/** Two separate accounts, a member of each, an administrator, and a log. */
export async function seedConsole(
  engine: Engine,
  vault: Vault,
  nowMs: number,
  requestCount: number,
): Promise<Seeded> {
  await seedPeople(engine, nowMs)
  await seedCatalog(engine, vault, nowMs)
  await seedKeys(engine, vault, nowMs)
  const acme = Array.from({ length: requestCount }, (_, age) =>
    imagineRequest({
      at: nowMs - (age + 1) * minuteMs * 7,
      accountId: 'acme',
      keyId: 'key_a1',
      age,
    }),
  )
  const globex = imagineRequest({
    at: nowMs - 3 * minuteMs,
    accountId: 'globex',
    keyId: 'key_g1',
    age: 1,
  })
  const requests = [...acme, globex]
  const charged = requests.filter((request) => !request.isRefused)
  await engine.db.insertInto('entry').values(charged.map(entryOf)).execute()
  await seedLog(engine, requests.map(usageRowOf))
  await engine.db.insertInto('attempt').values(charged.flatMap(attemptsOf)).execute()
  const costNano = acme.reduce((sum, request) => sum + request.costNano, 0n)
  await seedMoney(engine, { acmeSpentNano: costNano, globexSpentNano: globex.costNano, nowMs })
  return {
    acmeRequestIds: acme.map((request) => request.requestId),
    globexRequestId: globex.requestId,
    costNano,
  }
}

/** Adds one more request to the log and the ledger; returns its id and cost. */
export async function addRequest(
  engine: Engine,
  seed: RequestSeed,
): Promise<{ readonly requestId: string; readonly costNano: bigint }> {
  const request = imagineRequest(seed)
  await engine.db.insertInto('entry').values(entryOf(request)).execute()
  await seedLog(engine, [usageRowOf(request)])
  return request
}

/** Applied like an old journal: with the hourly sums. */
async function seedLog(engine: Engine, rows: readonly FirstRow[]): Promise<void> {
  await engine.defineShapes(usageShapes)
  const records = rows.map((row) => [
    'usage-1',
    ...Object.values(row).map((value) => (typeof value === 'bigint' ? Number(value) : value)),
  ])
  await engine.applyRecords([JSON.stringify(records)])
}

let annHash: Promise<string> | undefined

async function seedPeople(engine: Engine, nowMs: number): Promise<void> {
  const { db } = engine
  const account = { status: 'active', ends_at: null, available_nano: 0n, created_at: nowMs }
  await db
    .insertInto('account')
    .values([
      { ...account, id: 'acme', name: 'Acme Robotics' },
      { ...account, id: 'globex', name: 'Globex' },
      { ...account, id: 'empty', name: 'Newcomer' },
    ])
    .execute()
  annHash ??= hashPassword(annPassword)
  const hash = await annHash
  await db
    .insertInto('console_user')
    .values([
      {
        id: 'u_root',
        email: 'root@example.com',
        password_hash: null,
        role: 'admin',
        created_at: 1,
      },
      { id: 'u_ann', email: 'ann@example.com', password_hash: hash, role: 'member', created_at: 1 },
      { id: 'u_bob', email: 'bob@example.com', password_hash: hash, role: 'member', created_at: 1 },
      {
        id: 'u_owen',
        email: 'owen@example.com',
        password_hash: hash,
        role: 'member',
        created_at: 1,
      },
      {
        id: 'u_vera',
        email: 'vera@example.com',
        password_hash: hash,
        role: 'member',
        created_at: 1,
      },
      { id: 'u_new', email: 'new@example.com', password_hash: null, role: 'member', created_at: 1 },
    ])
    .execute()
  await db
    .insertInto('membership')
    .values([
      { user_id: 'u_owen', account_id: 'acme', role: 'owner' },
      { user_id: 'u_ann', account_id: 'acme', role: 'member' },
      { user_id: 'u_vera', account_id: 'acme', role: 'viewer' },
      { user_id: 'u_bob', account_id: 'globex', role: 'owner' },
      { user_id: 'u_new', account_id: 'empty', role: 'member' },
    ])
    .execute()
}

async function seedCatalog(engine: Engine, vault: Vault, nowMs: number): Promise<void> {
  const { db } = engine
  const name = { owned_by: 'demo', context_tokens: 128_000, max_output_tokens: 16_384 }
  await db
    .insertInto('service_group')
    .values({ id: 'default', factor_micro: Number(factorMicro), created_at: nowMs })
    .execute()
  await db
    .insertInto('model')
    .values({ ...name, id: 'gpt-x', display_name: 'GPT X', created_at: nowMs })
    .execute()
  await db
    .insertInto('upstream')
    .values({
      id: 'one',
      vendor: 'openai-compatible',
      protocol: 'chat-completions',
      base_url: 'http://127.0.0.1:9/v1',
      credential_sealed: vault.seal(secretValues.upstream, credentialPurpose),
      created_at: nowMs,
    })
    .execute()
  await db
    .insertInto('upstream_credential')
    .values({
      id: 'cred_1',
      upstream_id: 'one',
      name: 'first',
      value_sealed: vault.seal(secretValues.upstream, credentialPurpose),
      hint: 'ups…read',
      origin: 'http://127.0.0.1:9',
      enabled: 1,
      created_at: nowMs,
    })
    .execute()
  await db
    .insertInto('route')
    .values({
      group_id: 'default',
      model_id: 'gpt-x',
      upstream_id: 'one',
      upstream_model: 'gpt-x',
      priority: 0,
      weight: 1,
    })
    .execute()
  await db
    .insertInto('price_version')
    .values(priceRow(price, 'gpt-x', 0))
    .execute()
}

async function seedKeys(engine: Engine, vault: Vault, nowMs: number): Promise<void> {
  const key = {
    account_id: 'acme',
    value_sealed: vault.seal(secretValues.key, sealPurpose),
    imported: 0,
    groups: '["default"]',
    models: null,
    addresses: null,
    quota_nano: null,
    available_nano: null,
    spent_nano: 0n,
    expires_at: null,
    enabled: 1,
    created_at: nowMs,
  }
  const make = (id: string, name: string) => ({
    ...key,
    id,
    name,
    value_hash: vault.lookupHash(`${secretValues.key} ${id}`),
    value_hint: `sk-…${id.slice(-2)}`,
  })
  await engine.db
    .insertInto('api_key')
    .values([
      { ...make('key_a1', 'Laptop'), quota_nano: 5n * dollarNano, spent_nano: dollarNano },
      {
        ...make('key_a2', 'A continuous integration runner with a rather long descriptive name'),
        groups: '["default","premium","economy"]',
        models: '["gpt-x","gpt-y","claude-z","gemini-w"]',
        addresses: '["10.0.0.0/8"]',
        expires_at: nowMs + 90 * 24 * 60 * minuteMs,
      },
      { ...make('key_a3', 'Old laptop'), enabled: 0 },
      { ...make('key_a4', 'Workshop 2025'), expires_at: nowMs - 1, models: '[]' },
      {
        ...make('key_a5', 'Trial'),
        quota_nano: dollarNano,
        available_nano: 0n,
        spent_nano: dollarNano,
      },
      { ...make('key_g1', 'Globex server'), account_id: 'globex' },
    ])
    .execute()
}

interface RequestSeed {
  readonly at: number
  readonly accountId: string
  readonly keyId: string
  readonly age: number
  readonly model?: string
}

type SampleRequest = ReturnType<typeof imagineRequest>

function imagineRequest(seed: RequestSeed) {
  const isRefused = seed.age % 9 === 4
  const isFailed = seed.age % 17 === 6
  const usage =
    isRefused || isFailed
      ? noUsage
      : { ...noUsage, input: 1_200 + seed.age, cacheRead: 800, output: 340, reasoning: 120 }
  const costNano = costOf(usage, price, factorMicro)
  return { ...seed, requestId: newRequestId(seed.at), isRefused, isFailed, usage, costNano }
}

/** The columns of the first version's row, in its order. */
type FirstRow = Omit<UsageRowTable, 'credential' | 'note' | 'first_byte_ms' | 'queued_ms'>

function usageRowOf({ age, isRefused, isFailed, ...request }: SampleRequest): FirstRow {
  return {
    request_id: request.requestId,
    at: request.at,
    account_id: request.accountId,
    key_id: request.keyId,
    model: request.model ?? (isRefused ? 'gpt-unknown' : 'gpt-x'),
    protocol: 'chat-completions',
    group_id: isRefused ? null : 'default',
    stream: age % 2,
    status: isRefused ? 404 : isFailed ? 502 : 200,
    reason: isRefused ? 'model_not_found' : isFailed ? 'upstream_error' : null,
    cost_nano: request.costNano,
    first_token_ms: isRefused ? null : 180 + age,
    total_ms: isRefused ? 2 : 900 + age * 37,
    client_address: '203.0.113.7',
    client_request_id: null,
    upstream_id: isRefused ? null : 'one',
    upstream_request_id: isRefused ? null : `up-${age}`,
    warnings: age % 5 === 0 ? 'temperature_dropped,top_p_clamped' : null,
  }
}

function entryOf({ usage, isFailed, ...request }: SampleRequest): Insertable<EntryTable> {
  return {
    request_id: request.requestId,
    account_id: request.accountId,
    key_id: request.keyId,
    lease_id: request.requestId,
    price_version_id: price.versionId,
    factor_micro: Number(factorMicro),
    cost_nano: request.costNano,
    input_tokens: usage.input,
    cache_read_tokens: usage.cacheRead,
    cache_write_5m_tokens: usage.cacheWrite5m,
    cache_write_1h_tokens: usage.cacheWrite1h,
    output_tokens: usage.output,
    reasoning_tokens: usage.reasoning,
    usage_source: isFailed ? 'none' : 'upstream',
    flags: '',
    features: null,
  }
}

function attemptsOf({ requestId, age, isFailed }: SampleRequest): AttemptTable[] {
  const told = { credential: 'sk-…c1', note: 'weight' }
  const first = {
    ...told,
    upstream_id: 'two',
    status: 529,
    reason: 'overloaded',
    first_byte_ms: 40,
  }
  const last = {
    ...told,
    upstream_id: 'one',
    status: isFailed ? 502 : 200,
    reason: null,
    first_byte_ms: 120,
  }
  return [
    { request_id: requestId, ordinal: 0, ...first, total_ms: 41 },
    { request_id: requestId, ordinal: 1, ...last, total_ms: 800 + age },
  ]
}

async function seedMoney(
  engine: Engine,
  seed: { acmeSpentNano: bigint; globexSpentNano: bigint; nowMs: number },
): Promise<void> {
  const { db } = engine
  const { nowMs } = seed
  const credit = { source: 'test', reason: 'seed', created_at: nowMs }
  const grantedNano = 25n * dollarNano
  const heldNano = 12_345_678n
  const usedNano = 234_567_891n
  await db
    .insertInto('credit')
    .values([
      { ...credit, id: 'c1', account_id: 'acme', amount_nano: grantedNano, external_id: '1' },
      { ...credit, id: 'c2', account_id: 'globex', amount_nano: grantedNano, external_id: '2' },
    ])
    .execute()
  await db
    .insertInto('lease')
    .values({
      id: newRequestId(nowMs),
      replica: 'r1',
      epoch: 1,
      account_id: 'acme',
      key_id: 'key_a1',
      granted_nano: heldNano + usedNano,
      used_nano: usedNano,
      version: 1,
      created_at: nowMs,
      reclaim_at: nowMs + minuteMs,
    })
    .execute()
  const available = { acme: grantedNano - heldNano - seed.acmeSpentNano }
  await setAvailable(engine, 'acme', available.acme)
  await setAvailable(engine, 'globex', grantedNano - seed.globexSpentNano)
}

async function setAvailable(engine: Engine, id: string, nano: bigint): Promise<void> {
  await engine.db
    .updateTable('account')
    .set({ available_nano: nano })
    .where('id', '=', id)
    .execute()
}
