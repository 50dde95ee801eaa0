import { noUsage } from '../core/usage.ts'
import { type Engine, isWorthRetrying } from '../store/engine.ts'
import type { ShapedRecord } from '../store/shape.ts'
import { type AdmitRecord, readAdmitRecords } from './admit-record.ts'
import { closeLeasesOf } from './close-leases.ts'
import { type JournalFiles, journalFiles } from './journal-files.ts'
import { isJournalOf, type LineKind, lockFileName, openLines, writerOf } from './journal-lines.ts'
import type { LeaseOwner } from './lease-units.ts'
import type { Settlement } from './ledger.ts'
import { endEpoch } from './replica.ts'
import { settleRecord } from './settle-record.ts'

export interface RecoveredRequest {
  readonly record: AdmitRecord
  readonly settlement: Settlement
}

export interface Recovery {
  readonly requests: number
  readonly leases: number
}

const batchMax = 512
/** A failure that a repetition can cure is met with one. */
const triesMax = 5

interface JournalPlace {
  readonly folder: string
  readonly files?: JournalFiles
}

type LogRow = (recovered: RecoveredRequest) => readonly ShapedRecord[]

/**
 * Brings to an end what dead processes have left in this journal folder: what they had settled is shipped, each
 * request that they had admitted and never settled becomes exactly one entry, marked `interrupted`, for the input
 * that was sent upstream; then their leases give back what they have not used. A process is dead when nobody holds
 * its lock: neither silence nor a later process of its name proves that it will not write another line.
 */
export async function recoverDead(
  engine: Engine,
  { folder, files = journalFiles }: JournalPlace,
  logRow: LogRow,
): Promise<Recovery> {
  const total = { requests: 0, leases: 0 }
  const failures: unknown[] = []
  for (const [writer, names] of writersIn(files.list(folder))) {
    const lockName = lockFileName(writer)
    // A journal without a lock is of an earlier version. A lock that is gone was another's to end.
    const lock = files.lock(folder, lockName, !names.has(lockName))
    if (!lock) continue
    try {
      const found = await recoverSurely(engine, { folder, files }, writer, logRow)
      total.requests += found.requests
      total.leases += found.leases
      files.remove(folder, lockName)
    } catch (error) {
      // What one has left behind must not keep the others from being recovered.
      failures.push(error)
    } finally {
      lock.release()
    }
  }
  if (failures.length > 0) throw failures[0]
  return total
}

/** Every process that has files in a folder, with their names. */
function writersIn(fileNames: readonly string[]): Map<LeaseOwner, ReadonlySet<string>> {
  const writers = new Map<string, LeaseOwner>()
  const files = new Map<LeaseOwner, Set<string>>()
  for (const name of fileNames) {
    const found = writerOf(name)
    if (!found) continue
    const key = `${found.epoch} ${found.replica}`
    const writer = writers.get(key) ?? found
    writers.set(key, writer)
    files.set(writer, (files.get(writer) ?? new Set()).add(name))
  }
  return files
}

/** Whatever was done before a failure is found done, and not done again. */
async function recoverSurely(
  engine: Engine,
  place: Required<JournalPlace>,
  writer: LeaseOwner,
  logRow: LogRow,
): Promise<Recovery> {
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      return await recoverOne(engine, place, writer, logRow)
    } catch (error) {
      if (!isWorthRetrying(error) || tryNumber >= triesMax) throw error
    }
  }
}

async function recoverOne(
  engine: Engine,
  { folder, files: disk }: Required<JournalPlace>,
  writer: LeaseOwner,
  logRow: LogRow,
): Promise<Recovery> {
  await endEpoch(engine, writer)
  // Its lock is ours: from here on nobody adds to them. One is read at a time: together they may be very large.
  const files = disk.list(folder).filter((name) => isJournalOf(writer, name))
  // What was settled is shipped first, as it would have been; only what is then still open was interrupted.
  for (const name of files) {
    for (const texts of batchesOf(linesOf(disk.read(folder, name), 'S'))) {
      await engine.applyRecords(texts)
    }
  }
  let requests = 0
  for (const name of files) {
    const records = linesOf(disk.read(folder, name), 'A').flatMap(readAdmitRecords)
    for (const batch of batchesOf(records)) requests += await recoverRequests(engine, batch, logRow)
  }
  const leases = await closeLeasesOf(engine, writer)
  for (const name of files) disk.remove(folder, name)
  return { requests, leases }
}

function linesOf(text: string, kind: LineKind): string[] {
  return openLines(text)
    .filter((line) => line.kind === kind)
    .map((line) => line.json)
}

function* batchesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += batchMax) yield all.slice(at, at + batchMax)
}

/** How many of them had no entry; now they have. */
async function recoverRequests(
  engine: Engine,
  records: readonly AdmitRecord[],
  logRow: LogRow,
): Promise<number> {
  const ids = records.map((record) => record.requestId)
  const entries = await engine.db
    .selectFrom('entry')
    .select('request_id')
    .where('request_id', 'in', ids)
    .execute()
  const settled = new Set(entries.map((entry) => entry.request_id))
  const open = records.filter((record) => !settled.has(record.requestId))
  if (open.length > 0) await engine.applyRecords(open.map((record) => interrupted(record, logRow)))
  return open.length
}

function interrupted(record: AdmitRecord, logRow: LogRow): string {
  const { story } = record
  const settlement: Settlement = {
    costNano: BigInt(record.recoveryNano),
    usage: { ...noUsage, input: story.inputTokens },
    usageSource: 'recovered',
    priceVersionId: story.priceVersionId,
    factorMicro: BigInt(story.factorMicro),
    flags: ['interrupted'],
  }
  return JSON.stringify([settleRecord(record, settlement), ...logRow({ record, settlement })])
}
