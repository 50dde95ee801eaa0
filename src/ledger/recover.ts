import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { noUsage } from '../core/usage.ts'
import type { Engine, Statement } from '../store/engine.ts'
import { isObject, parseJson } from '../wire/json.ts'
import type { AdmitRecord } from './admit-journal.ts'
import { isEarlierJournal, openLines } from './journal-lines.ts'
import { closeUnit, type LeaseOwner } from './lease-units.ts'
import type { Settlement } from './ledger.ts'
import { settleUnit } from './settle-unit.ts'

export interface RecoveredRequest {
  readonly record: AdmitRecord
  readonly settlement: Settlement
}

export interface Recovery {
  readonly requests: number
  readonly leases: number
}

const pageRowsMax = 200

/**
 * Brings to an end what an earlier life of this replica has left: each request that was admitted and never
 * settled becomes exactly one entry, marked `interrupted`, for the input that was sent upstream; then the
 * leases give back what they have not used.
 */
export async function recoverOwn(
  engine: Engine,
  owner: LeaseOwner,
  folder: string,
  logRow: (recovered: RecoveredRequest) => readonly Statement[],
): Promise<Recovery> {
  const files = readdirSync(folder).filter((name) => isEarlierJournal(name, owner))
  let requests = 0
  for (const name of files) {
    const path = join(folder, name)
    const records = openLines(readFileSync(path, 'utf8')).map(readRecord)
    for (const record of records) requests += await recoverRequest(engine, record, logRow)
    rmSync(path, { force: true })
  }
  const leases = await closeLeases(engine, { owner })
  return { requests, leases }
}

/** Leases whose time is over belong to processes that are gone for good; their money goes home. */
export function reclaimLeases(engine: Engine, nowMs: number): Promise<number> {
  return closeLeases(engine, { reclaimableAtMs: nowMs })
}

async function recoverRequest(
  engine: Engine,
  record: AdmitRecord | undefined,
  logRow: (recovered: RecoveredRequest) => readonly Statement[],
): Promise<number> {
  if (!record) return 0
  const entry = await engine.db
    .selectFrom('entry')
    .select('request_id')
    .where('request_id', '=', record.requestId)
    .executeTakeFirst()
  if (entry) return 0
  const { story } = record
  const settlement: Settlement = {
    costNano: BigInt(record.recoveryNano),
    usage: { ...noUsage, input: story.inputTokens },
    usageSource: 'recovered',
    priceVersionId: story.priceVersionId,
    factorMicro: BigInt(story.factorMicro),
    flags: ['interrupted'],
  }
  await engine.runUnits([settleUnit(record, settlement, logRow({ record, settlement }))])
  return 1
}

/** The line's checksum has vouched for it: it is what `admit` was given. */
function readRecord(json: string): AdmitRecord | undefined {
  const value = parseJson(json)
  return isObject(value) ? (value as unknown as AdmitRecord) : undefined
}

async function closeLeases(
  engine: Engine,
  which: { owner: LeaseOwner } | { reclaimableAtMs: number },
): Promise<number> {
  for (let count = 0; ; ) {
    const query = engine.db.selectFrom('lease').select(['id', 'account_id', 'key_id'])
    const chosen =
      'owner' in which
        ? query.where('replica', '=', which.owner.replica).where('epoch', '<', which.owner.epoch)
        : query.where('reclaim_at', '<', which.reclaimableAtMs)
    const rows = await chosen.limit(pageRowsMax).execute()
    if (rows.length === 0) return count
    for (const row of rows) {
      const facts = { leaseId: row.id, accountId: row.account_id, keyId: row.key_id }
      await engine.runUnits([closeUnit(facts)])
    }
    count += rows.length
  }
}
