import { noUsage } from '../core/usage.ts'
import type { Engine } from '../store/engine.ts'
import { GroupCommit } from '../store/group-commit.ts'
import type { ShapedRecord } from '../store/shape.ts'
import { type AdmitRecord, readAdmitRecords } from './admit-record.ts'
import { type JournalFiles, journalFiles } from './journal-files.ts'
import { openLines, writerOf } from './journal-lines.ts'
import { closeUnit, type LeaseOwner } from './lease-units.ts'
import type { Settlement } from './ledger.ts'
import { isDead, takeEpoch } from './replica.ts'
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

interface JournalPlace {
  readonly folder: string
  readonly self: LeaseOwner | undefined
  readonly nowMs: number
  readonly files?: JournalFiles
  /** Whether one who has not been seen for long is dead; else only one whose identity another has. */
  readonly trustsSilence?: boolean
}

type LogRow = (recovered: RecoveredRequest) => readonly ShapedRecord[]

/**
 * Brings to an end what dead processes have left in this journal folder: what they had settled is shipped, each
 * request that they had admitted and never settled becomes exactly one entry, marked `interrupted`, for the input
 * that was sent upstream; then their leases give back what they have not used. A process is dead when its
 * identity has a later epoch, as after a restart, or when it has not been seen for a while.
 */
export async function recoverDead(
  engine: Engine,
  place: JournalPlace,
  logRow: LogRow,
): Promise<Recovery> {
  const { self, nowMs, trustsSilence = true } = place
  const total = { requests: 0, leases: 0 }
  for (const writer of journalWriters(place)) {
    // However slow this process is, it is not dead as long as it can ask.
    if (writer.replica === self?.replica && writer.epoch === self.epoch) continue
    if (!(await isDead(engine, writer, nowMs, trustsSilence))) continue
    const found = await recoverOne(engine, place, writer, logRow)
    total.requests += found.requests
    total.leases += found.leases
  }
  return total
}

/** Every process that has files in the folder, once. */
function journalWriters({ folder, files = journalFiles }: JournalPlace): LeaseOwner[] {
  const writers = new Map<string, LeaseOwner>()
  for (const name of files.list(folder)) {
    const writer = writerOf(name)
    if (writer) writers.set(`${writer.epoch} ${writer.replica}`, writer)
  }
  return [...writers.values()]
}

async function recoverOne(
  engine: Engine,
  { folder, nowMs, files: disk = journalFiles }: JournalPlace,
  writer: LeaseOwner,
  logRow: LogRow,
): Promise<Recovery> {
  // From here on the dead one is granted nothing, should it only have slept.
  await outdate(engine, writer, nowMs)
  const isTheirs = (name: string): boolean => {
    const owner = writerOf(name)
    return owner?.replica === writer.replica && owner.epoch === writer.epoch
  }
  const files = disk.list(folder).filter(isTheirs)
  const lines = files.flatMap((name) => openLines(disk.read(folder, name)))
  // What was settled is shipped first, as it would have been; only what is then still open was interrupted.
  const texts = lines.filter((line) => line.kind === 'S').map((line) => line.json)
  for (let at = 0; at < texts.length; at += batchMax) {
    await engine.applyRecords(texts.slice(at, at + batchMax))
  }
  let requests = 0
  for (const line of lines) {
    if (line.kind !== 'A') continue
    for (const record of readAdmitRecords(line.json)) {
      requests += await recoverRequest(engine, record, logRow)
    }
  }
  const leases = await closeLeases(engine, { writer })
  for (const name of files) disk.remove(folder, name)
  return { requests, leases }
}

async function outdate(engine: Engine, writer: LeaseOwner, nowMs: number): Promise<void> {
  const row = await engine.db
    .selectFrom('replica')
    .select('epoch')
    .where('id', '=', writer.replica)
    .executeTakeFirst()
  if (row?.epoch === writer.epoch) await takeEpoch(engine, writer.replica, nowMs)
}

/** Leases of earlier lives of this very replica, whose journal is empty or lost. */
export function closeEarlierLeases(engine: Engine, owner: LeaseOwner): Promise<number> {
  return closeLeases(engine, { before: owner })
}

/** Leases whose time is over belong to processes that are gone for good; their money goes home. */
export function reclaimLeases(engine: Engine, nowMs: number): Promise<number> {
  return closeLeases(engine, { reclaimableAtMs: nowMs })
}

async function recoverRequest(
  engine: Engine,
  record: AdmitRecord,
  logRow: LogRow,
): Promise<number> {
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

async function closeLeases(
  engine: Engine,
  which: { writer: LeaseOwner } | { before: LeaseOwner } | { reclaimableAtMs: number },
): Promise<number> {
  // A batch that was caught between others' locks is repeated.
  const commits = new GroupCommit(engine)
  for (let count = 0; ; ) {
    const query = engine.db.selectFrom('lease').select(['id', 'account_id', 'key_id'])
    const chosen =
      'writer' in which
        ? query.where('replica', '=', which.writer.replica).where('epoch', '=', which.writer.epoch)
        : 'before' in which
          ? query
              .where('replica', '=', which.before.replica)
              .where('epoch', '<', which.before.epoch)
          : query.where('reclaim_at', '<', which.reclaimableAtMs)
    const rows = await chosen.limit(pageRowsMax).execute()
    if (rows.length === 0) return count
    for (const row of rows) {
      const facts = { leaseId: row.id, accountId: row.account_id, keyId: row.key_id }
      await commits.run(closeUnit(facts))
    }
    count += rows.length
  }
}
