import { createAlert } from '../../../src/alerts/alert-store.ts'
import type { AlertKind, AlertValues } from '../../../src/alerts/definition/alert.ts'
import { putLocalConditions } from '../../../src/alerts/local-conditions.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { insertAll } from '../../../src/store/rows/in-slices.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'

export const vault = createVault(new Uint8Array(32).fill(3))
const hourMs = 3_600_000
export const dayMs = 24 * hourMs
/** 03:00 UTC of a day. */
export const startMs = 20_700 * dayMs + 3 * hourMs
export const dollar = 1_000_000_000n

export const usualAlert: AlertValues = {
  accountId: null,
  name: 'ops',
  channel: 'email',
  emails: ['ops@example.com'],
  url: undefined,
  secret: undefined,
  kinds: ['credit_low'],
  creditBelowNano: 5n * dollar,
  keyExpiryDays: 7,
  spendFactor: 3,
  spendFloorNano: 10n * dollar,
  language: 'en',
  isEnabled: true,
}

export function addAlert(
  engine: Engine,
  values: Partial<AlertValues>,
  createdAtMs = 1,
): Promise<string> {
  const tools = { vault, random: systemRandom, nowMs: createdAtMs }
  return write(engine, 1, (writing) => createAlert(writing, tools, { ...usualAlert, ...values }))
}

export async function addAccount(
  engine: Engine,
  id: string,
  { nano = 100n * dollar, hasCredit = true } = {},
) {
  const account = { id, name: id.toUpperCase(), status: 'active', ends_at: null, created_at: 1 }
  await engine.db
    .insertInto('account')
    .values({ ...account, available_nano: nano })
    .execute()
  if (!hasCredit) return
  const credit = { id: `c-${id}`, account_id: id, amount_nano: nano, source: 't', external_id: id }
  await engine.db
    .insertInto('credit')
    .values({ ...credit, reason: '', created_at: 1 })
    .execute()
}

const setMoney = (engine: Engine, id: string, nano: bigint) =>
  engine.db.updateTable('account').set({ available_nano: nano }).where('id', '=', id).execute()

const setAccount = (
  engine: Engine,
  id: string,
  values: { readonly status?: string; readonly ends_at?: number },
) => engine.db.updateTable('account').set(values).where('id', '=', id).execute()

interface NewKey {
  readonly id: string
  readonly name?: string
  readonly expiresAtMs: number | null
  readonly enabled?: number
  readonly accountId?: string
}

export async function addKeys(engine: Engine, keys: readonly NewKey[]): Promise<void> {
  const rows = keys.map(({ id, name = id, expiresAtMs, enabled = 1, accountId = 'a' }) => ({
    id,
    account_id: accountId,
    name,
    value_hash: `hash ${id}`,
    value_sealed: '',
    value_hint: '',
    imported: 0,
    groups: '[]',
    models: null,
    addresses: null,
    quota_nano: null,
    available_nano: null,
    spent_nano: 0n,
    expires_at: expiresAtMs,
    enabled,
    created_at: 1,
  }))
  await insertAll(rows, (some) => engine.db.insertInto('api_key').values(some).execute())
}

export const addKey = (
  engine: Engine,
  id: string,
  expiresAtMs: number | null,
  enabled = 1,
  accountId = 'a',
) => addKeys(engine, [{ id, expiresAtMs, enabled, accountId }])

export async function spend(engine: Engine, id: string, atMs: number, nano: bigint): Promise<void> {
  const zero = { requests: 1, errors: 0, input_tokens: 0, cache_read_tokens: 0, output_tokens: 0 }
  const more = { cache_write_5m_tokens: 0, cache_write_1h_tokens: 0, reasoning_tokens: 0 }
  await engine.db
    .insertInto('usage_hour')
    .values({
      account_id: id,
      hour: atMs - (atMs % hourMs),
      key_id: `k ${String(nano)} ${atMs}`,
      model: 'm',
      group_id: 'default',
      protocol: 'messages',
      ...zero,
      ...more,
      cost_nano: nano,
      first_tokens: 0,
      first_token_ms: 0,
      total_ms: 0,
    })
    .execute()
}

/** The counter of a daily budget of an account; of today unless other days are given. */
export async function setSpent(
  engine: Engine,
  id: string,
  spentNano: bigint,
  { daysAgo = 0, limitNano = 10n * dollar } = {},
): Promise<string> {
  const starts_at = startMs - 3 * hourMs - daysAgo * dayMs
  const ends_at = starts_at + dayMs
  const counter = `account ${id} day ${starts_at} ${ends_at}`
  const owner = { account_id: id, owner_kind: 'account', owner_id: id, period: 'day' }
  const alert_nano = (limitNano * 8n) / 10n
  const amounts = { limit_nano: limitNano, alert_nano, available_nano: 0n, spent_nano: spentNano }
  await engine.db
    .insertInto('budget_counter')
    .values({ id: counter, ...owner, ...amounts, starts_at, ends_at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ spent_nano: spentNano }))
    .execute()
  if (spentNano >= alert_nano)
    await engine.db
      .insertInto('budget_crossing')
      .values({ counter_id: counter, alert_nano, spent_nano: spentNano })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  return counter
}

export const setDaily = (
  engine: Engine,
  id: string,
  daily_nano: bigint,
  percent: number | null = 80,
) =>
  engine.db
    .updateTable('account')
    .set({ daily_nano, budget_alert_percent: percent })
    .where('id', '=', id)
    .execute()

const stop = (engine: Engine, id: string) =>
  engine.db
    .insertInto('audit_stop')
    .values({ account_id: id, found_at: 1, findings: 'x' })
    .execute()

export const see = (engine: Engine, kind: AlertKind, nowMs: number, replica = 'r1') =>
  putLocalConditions(engine, replica, [{ kind, subject: 'one', detail: 'one/main' }], nowMs)

/** For each kind: how the condition begins, a case in which it does not hold, and how it ends. */
interface KindCase {
  readonly kind: AlertKind
  /** The stored name of the condition. */
  readonly subject: string
  /** The stored kind, if it is not the same. */
  readonly storedAs?: string
  /** The id in webhooks, if it is not the same. */
  readonly id?: string
  readonly words: string
  readonly quiet: (engine: Engine) => Promise<unknown>
  readonly cross: (engine: Engine) => Promise<unknown>
  readonly end: (engine: Engine) => Promise<unknown>
  readonly again: (engine: Engine) => Promise<unknown>
}

export const alertCases: readonly KindCase[] = [
  {
    kind: 'credit_low',
    subject: 'a',
    words: '$4.99',
    quiet: async (engine) => {
      await setMoney(engine, 'a', 5n * dollar)
      await addAccount(engine, 'unused', { nano: 0n, hasCredit: false })
      await addAccount(engine, 'suspended', { nano: 0n })
      await addAccount(engine, 'ended', { nano: 0n })
      await setAccount(engine, 'suspended', { status: 'suspended' })
      await setAccount(engine, 'ended', { ends_at: startMs })
    },
    cross: (engine) => setMoney(engine, 'a', 4_990_000_000n),
    end: (engine) => setMoney(engine, 'a', 5n * dollar),
    again: (engine) => setMoney(engine, 'a', 1n),
  },
  {
    kind: 'budget_low',
    subject: `account a day ${startMs - 3 * hourMs} ${startMs - 3 * hourMs + dayMs}`,
    id: 'a',
    words: 'A (account A) has spent $8.00 of the budget of $10.00',
    quiet: async (engine) => {
      await setDaily(engine, 'a', 10n * dollar)
      await setSpent(engine, 'a', 8n * dollar - 1n)
      // Yesterday had another limit, and the day before ended more than a day ago.
      await setSpent(engine, 'a', 9n * dollar, { daysAgo: 1, limitNano: 11n * dollar })
      await setSpent(engine, 'a', 9n * dollar, { daysAgo: 2 })
      await addAccount(engine, 'unwatched')
      await setDaily(engine, 'unwatched', 10n * dollar, null)
      await setSpent(engine, 'unwatched', 9n * dollar)
    },
    cross: (engine) => setSpent(engine, 'a', 8n * dollar),
    end: (engine) => setDaily(engine, 'a', 12n * dollar),
    again: (engine) => setDaily(engine, 'a', 9n * dollar),
  },
  {
    kind: 'key_expiring',
    storedAs: 'key_expiring_on',
    subject: `k ${new Date(startMs + 7 * dayMs).toISOString().slice(0, 10)}`,
    id: 'k',
    words: 'k',
    quiet: async (engine) => {
      await addKey(engine, 'later', startMs + 7 * dayMs + 1)
      await addKey(engine, 'never', null)
      await addKey(engine, 'past', startMs)
      await addKey(engine, 'off', startMs + 1, 0)
      await addKey(engine, 'stopped', startMs + 1)
      await engine.db
        .updateTable('api_key')
        .set({ stopped: 1 })
        .where('id', '=', 'stopped')
        .execute()
      await addAccount(engine, 'suspended')
      await setAccount(engine, 'suspended', { status: 'suspended' })
      await addKey(engine, 'unusable', startMs + 1, 1, 'suspended')
    },
    cross: (engine) => addKey(engine, 'k', startMs + 7 * dayMs),
    end: (engine) =>
      engine.db
        .updateTable('api_key')
        .set({ expires_at: startMs + 30 * dayMs })
        .where('id', '=', 'k')
        .execute(),
    again: (engine) =>
      engine.db
        .updateTable('api_key')
        .set({ expires_at: startMs + dayMs })
        .where('id', '=', 'k')
        .execute(),
  },
  {
    kind: 'spend_unusual',
    subject: `a ${new Date(startMs).toISOString().slice(0, 10)}`,
    id: 'a',
    words: '31.00',
    quiet: async (engine) => {
      for (let day = 1; day <= 14; day += 1)
        await spend(engine, 'a', startMs - day * dayMs, 10n * dollar)
      await spend(engine, 'a', startMs, 30n * dollar)
    },
    cross: (engine) => spend(engine, 'a', startMs - hourMs, dollar),
    end: (engine) =>
      engine.db
        .deleteFrom('usage_hour')
        .where('hour', '>=', startMs - 3 * hourMs)
        .execute(),
    again: (engine) => spend(engine, 'a', startMs, 50n * dollar),
  },
  {
    kind: 'upstream_down',
    subject: 'one',
    words: 'one',
    quiet: (engine) => see(engine, 'credential_rejected', startMs),
    cross: (engine) => see(engine, 'upstream_down', startMs),
    end: (engine) => putLocalConditions(engine, 'r1', [], startMs + 1),
    again: (engine) => see(engine, 'upstream_down', startMs + 2),
  },
  {
    kind: 'credential_rejected',
    subject: 'one',
    words: 'one/main',
    quiet: (engine) => see(engine, 'upstream_down', startMs),
    cross: (engine) => see(engine, 'credential_rejected', startMs),
    end: (engine) => putLocalConditions(engine, 'r1', [], startMs + 1),
    again: (engine) => see(engine, 'credential_rejected', startMs + 2),
  },
  {
    kind: 'ledger_finding',
    subject: 'a',
    words: 'A',
    quiet: async () => undefined,
    cross: (engine) => stop(engine, 'a'),
    end: (engine) => engine.db.deleteFrom('audit_stop').execute(),
    again: (engine) => stop(engine, 'a'),
  },
]
