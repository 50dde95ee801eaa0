import { newRequestId } from '../../../src/core/id.ts'
import type { Nano } from '../../../src/core/money/money.ts'
import { costOf, costOfTokens, type Price } from '../../../src/core/money/price.ts'
import { noUsage, type TokenUsage } from '../../../src/core/money/usage.ts'
import { settleRecord, settleShapes } from '../../../src/ledger/journal/settle-record.ts'
import { grantUnit } from '../../../src/ledger/leases/lease-units.ts'
import { takeEpoch } from '../../../src/ledger/replica.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { usageRecords } from '../../../src/usage/usage-records.ts'
import { attemptShape, usageShape } from '../../../src/usage/usage-shapes.ts'
import { priceRow } from '../../support/price-row.ts'
import { openFunds } from '../ledger/ledger-helpers.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const nowMs = Date.parse('2026-10-20T12:00:00Z')

const price: Price = {
  versionId: 'p',
  inputNano: 2_500_000_000n,
  cacheReadNano: 250_000_000n,
  cacheWrite5mNano: 3_000_000_000n,
  cacheWrite1hNano: 5_000_000_000n,
  outputNano: 10_000_000_000n,
  requestNano: 1_000n,
}

export interface Spent {
  readonly requestId: string
  readonly costNano: Nano
}

/** Applies one finished request of account `a` and key `k`, like the shipper. */
export async function spend(
  engine: Engine,
  at: number,
  options: { tokens?: number; leaseId?: string; source?: 'upstream' | 'recovered' | 'none' } = {},
): Promise<Spent> {
  const requestId = newRequestId(at)
  const source = options.source ?? 'upstream'
  const usage = { ...noUsage, input: options.tokens ?? 1, output: 3 }
  const costNano = source === 'none' ? 0n : costFor(source, usage)
  const request = { requestId, accountId: 'a', keyId: 'k', leaseId: options.leaseId ?? 'open' }
  const settlement = {
    costNano,
    usage,
    usageSource: source,
    priceVersionId: price.versionId,
    factorMicro: 1_500_000n,
    flags: [],
  }
  const row = {
    ...request,
    at,
    model: 'm',
    protocol: 'messages',
    groupId: 'g',
    isStream: false,
    status: 200,
    reason: undefined,
    costNano,
    firstTokenMs: undefined,
    totalMs: 1,
    clientAddress: '127.0.0.1',
    clientRequestId: undefined,
    upstreamId: 'one',
    upstreamRequestId: undefined,
    warnings: [],
    attempts: [],
  }
  const records = [settleRecord(request, settlement), ...usageRecords(row, usage)]
  await engine.applyRecords([JSON.stringify(records)])
  return { requestId, costNano }
}

function costFor(source: 'upstream' | 'recovered', usage: TokenUsage): Nano {
  return source === 'upstream'
    ? costOf(usage, price, 1_500_000n)
    : costOfTokens(price, 1_500_000n, usage.input, usage.output)
}

export interface Shop {
  /** One settled long ago, and one settled within the last minute. */
  readonly old: Spent
  readonly recent: Spent
}

/** An account with credit, a key with a quota, an open lease, and two charged requests. */
export async function openShop(engine: Engine): Promise<Shop> {
  await openFunds(engine, { creditNano: 1_000_000_000n, quotaNano: 500_000_000n })
  await engine.defineShapes([...settleShapes, usageShape, attemptShape])
  await addPrice(engine)
  const owner = await takeEpoch(engine, 'r')
  const lease = {
    leaseId: 'open',
    accountId: 'a',
    keyId: 'k',
    leastNano: 10_000_000n,
    wantedNano: 10_000_000n,
    reclaimInMs: hourMs,
  }
  await engine.runUnits([grantUnit(lease, owner, engine.clockSql)])
  const old = await spend(engine, nowMs - hourMs)
  return { old, recent: await spend(engine, nowMs - minuteMs) }
}

async function addPrice({ db }: Engine): Promise<void> {
  await db
    .insertInto('model')
    .values({
      id: 'm',
      display_name: 'M',
      owned_by: '',
      context_tokens: null,
      max_output_tokens: 9,
      created_at: 1,
    })
    .execute()
  await db
    .insertInto('price_version')
    .values(priceRow(price, 'm', 1))
    .execute()
}

export interface Damage {
  readonly name: string
  /** A manipulation of the tables. */
  readonly sql: (shop: Shop) => string
  /** The rules that the full audit reports. */
  readonly rules: readonly ('L1' | 'L2' | 'L8')[]
  /** False where only the full audit finds it. */
  readonly isSeenEachMinute: boolean
}

export const damages: readonly Damage[] = [
  {
    name: 'a charged amount is recorded as uncovered',
    sql: ({ old }) => `INSERT INTO uncovered VALUES ('${old.requestId}', 1)`,
    rules: ['L8'],
    isSeenEachMinute: false,
  },
  {
    name: 'an account has one nano more than it should',
    sql: () => 'UPDATE account SET available_nano = available_nano + 1',
    rules: ['L1'],
    isSeenEachMinute: true,
  },
  {
    name: 'a lease has used more than its entries cost',
    sql: () => 'UPDATE lease SET used_nano = used_nano + 1',
    rules: ['L1'],
    isSeenEachMinute: true,
  },
  {
    name: 'a lease has more than it was granted',
    sql: () => 'UPDATE lease SET granted_nano = granted_nano + 1',
    rules: ['L1'],
    isSeenEachMinute: true,
  },
  {
    name: 'a lease and its money are gone',
    sql: () => 'DELETE FROM lease',
    rules: ['L1'],
    isSeenEachMinute: true,
  },
  {
    name: 'a key has spent less than it should',
    sql: () => 'UPDATE api_key SET spent_nano = spent_nano - 1',
    rules: ['L1'],
    isSeenEachMinute: true,
  },
  {
    name: 'a key has more of its quota than it should',
    sql: () => 'UPDATE api_key SET available_nano = available_nano + 1',
    rules: ['L1'],
    isSeenEachMinute: true,
  },
  {
    name: 'a credit exists twice',
    sql: () => `INSERT INTO credit (id, account_id, amount_nano, source, external_id, reason, created_at)
      SELECT 'c2', account_id, amount_nano, source, 'again', reason, created_at FROM credit`,
    rules: ['L1'],
    isSeenEachMinute: true,
  },
  {
    name: 'an entry costs more than it should',
    sql: ({ recent }) =>
      `UPDATE entry SET cost_nano = cost_nano + 1 WHERE request_id = '${recent.requestId}'`,
    rules: ['L1', 'L2', 'L8'],
    isSeenEachMinute: true,
  },
  {
    name: 'an entry is gone',
    sql: ({ recent }) => `DELETE FROM entry WHERE request_id = '${recent.requestId}'`,
    rules: ['L1', 'L2'],
    isSeenEachMinute: true,
  },
  {
    name: 'an old entry is gone after it was counted',
    sql: ({ old }) => `DELETE FROM entry WHERE request_id = '${old.requestId}'`,
    rules: ['L1', 'L2'],
    isSeenEachMinute: false,
  },
  {
    name: 'a usage row is gone',
    sql: ({ old }) => `DELETE FROM usage_row WHERE request_id = '${old.requestId}'`,
    rules: ['L2'],
    isSeenEachMinute: false,
  },
  {
    name: 'a usage row has another cost',
    sql: () => 'UPDATE usage_row SET cost_nano = cost_nano + 1',
    rules: ['L2'],
    isSeenEachMinute: false,
  },
  {
    name: 'an entry has a key of another account',
    sql: ({ old }) => `UPDATE entry SET key_id = 'x' WHERE request_id = '${old.requestId}'`,
    rules: ['L1', 'L2'],
    isSeenEachMinute: false,
  },
  {
    name: 'the tokens were changed, but not the cost',
    sql: () => 'UPDATE entry SET output_tokens = output_tokens + 1',
    rules: ['L8'],
    isSeenEachMinute: false,
  },
  {
    name: 'a price version was changed',
    sql: () => 'UPDATE price_version SET output_nano = output_nano + 1000000000',
    rules: ['L8'],
    isSeenEachMinute: false,
  },
  {
    name: 'a price version is gone',
    sql: () => 'DELETE FROM price_version',
    rules: ['L8'],
    isSeenEachMinute: false,
  },
]
