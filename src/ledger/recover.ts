import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { noUsage } from '../core/usage.ts'
import type { Engine } from '../store/engine.ts'
import type { ShapedRecord } from '../store/shape.ts'
import { isObject, parseJson } from '../wire/json.ts'
import type { AdmitRecord } from './journal.ts'
import { isEarlierJournal, openLines } from './journal-lines.ts'
import { closeUnit, type LeaseOwner } from './lease-units.ts'
import type { Settlement } from './ledger.ts'
import { settleRecord } from './settle-record.ts'

export interface RecoveredRequest {
  readonly record: AdmitRecord
  readonly settlement: Settlement
}

export interface Recovery {
  readonly requests: number
  readonly leases: number
}

const pageRowsMax = 200
const batchMax = 512

/**
 * Brings to an end what an earlier life of this replica has left: each request that was admitted and never
 * settled becomes exactly one entry, marked `interrupted`, for the input that was sent upstream; then the
 * leases give back what they have not used.
 */
export async function recoverOwn(
  engine: Engine,
  owner: LeaseOwner,
  folder: string,
  logRow: (recovered: RecoveredRequest) => readonly ShapedRecord[],
): Promise<Recovery> {
  const files = readdirSync(folder).filter((name) => isEarlierJournal(name, owner))
  const lines = files.flatMap((name) => openLines(readFileSync(join(folder, name), 'utf8')))
  // What was settled is shipped first, as it would have been; only what is then still open was interrupted.
  const texts = lines.filter((line) => line.kind === 'S').map((line) => line.json)
  for (let at = 0; at < texts.length; at += batchMax) {
    await engine.applyRecords(texts.slice(at, at + batchMax))
  }
  let requests = 0
  for (const line of lines) {
    if (line.kind === 'A') requests += await recoverRequest(engine, readRecord(line.json), logRow)
  }
  const leases = await closeLeases(engine, { owner })
  for (const name of files) rmSync(join(folder, name), { force: true })
  return { requests, leases }
}

/** Leases whose time is over belong to processes that are gone for good; their money goes home. */
export function reclaimLeases(engine: Engine, nowMs: number): Promise<number> {
  return closeLeases(engine, { reclaimableAtMs: nowMs })
}

async function recoverRequest(
  engine: Engine,
  record: AdmitRecord | undefined,
  logRow: (recovered: RecoveredRequest) => readonly ShapedRecord[],
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
  const records = [settleRecord(record, settlement), ...logRow({ record, settlement })]
  await engine.applyRecords([JSON.stringify(records)])
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
