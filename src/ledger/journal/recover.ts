import type { ChargeFlag } from '../../core/codes.ts'
import { noUsage } from '../../core/money/usage.ts'
import { type Engine, isWorthRetrying } from '../../store/engine.ts'
import type { ShapedRecord } from '../../store/units/shape.ts'
import { closeLeasesOf } from '../leases/close-leases.ts'
import type { LeaseOwner } from '../leases/lease-units.ts'
import type { Settlement } from '../ledger.ts'
import { endEpoch, isUnsettled, markSettled } from '../replica.ts'
import { type AdmitRecord, readAdmitRecords } from './admit-record.ts'
import { applyOrSetAside, recordsIn, type SetAsideRecords } from './apply-or-set-aside.ts'
import { setAsideIn } from './file-journal.ts'
import { type JournalFiles, journalFiles } from './journal-files.ts'
import {
  damagedFileName,
  isJournalOf,
  type LineKind,
  lockFileName,
  openJournal,
  openLines,
  segmentNumberOf,
  writerOf,
} from './journal-lines.ts'
import { checkpointFlag } from './rerate.ts'
import { entryShapeNames, settleRecord } from './settle-record.ts'

export interface RecoveredRequest {
  readonly record: AdmitRecord
  readonly settlement: Settlement
}

export interface Recovery {
  /** Requests that were admitted but not settled. */
  readonly requests: number
  readonly leases: number
  /** Settled requests that the database did not have. */
  readonly charged: number
  /** Journal lines that cannot be read; their journals are kept. */
  readonly damagedLines: number
  /** Processes that did not end cleanly and whose journals are missing. */
  readonly missing: readonly LeaseOwner[]
}

const batchMax = 512
/** How often a retryable failure is repeated. */
const triesMax = 5

interface JournalPlace {
  readonly folder: string
  readonly files?: JournalFiles
  /** The database has refused this many records because of their content. */
  onSetAside?(records: number): void
}

type LogRow = (recovered: RecoveredRequest) => readonly ShapedRecord[]

/**
 * Recovers what dead processes have left in this journal folder. Their settlements are shipped. Each request that was
 * admitted but not settled gets exactly one entry, marked `interrupted`, for the input sent upstream and the output up
 * to the last checkpoint. Then the unused money of their leases is returned. A process is dead when its lock is free:
 * neither silence nor a later process of the same name proves that it will not write another line.
 */
export async function recoverDead(
  engine: Engine,
  place: JournalPlace,
  logRow: LogRow,
): Promise<Recovery> {
  const { folder, files = journalFiles } = place
  const setAside = setAsideIn(folder, files, place.onSetAside)
  const total = { requests: 0, leases: 0, charged: 0, damagedLines: 0 }
  const missing: LeaseOwner[] = []
  const failures: unknown[] = []
  for (const [writer, names] of writersIn(files.list(folder))) {
    const lockName = lockFileName(writer)
    // A journal without a lock comes from an earlier version. If a lock has disappeared, another process has recovered
    // this writer.
    const lock = files.lock(folder, lockName, !names.has(lockName))
    if (!lock) continue
    try {
      const found = await recoverSurely(engine, { folder, files, setAside }, writer, logRow)
      total.requests += found.requests
      total.leases += found.leases
      total.charged += found.charged
      total.damagedLines += found.damagedLines
      missing.push(...found.missing)
      files.remove(folder, lockName)
    } catch (error) {
      // A failure for one writer must not prevent the recovery of the others.
      failures.push(error)
    } finally {
      lock.release()
    }
  }
  if (failures.length > 0) throw failures[0]
  return { ...total, missing }
}

/** Every process that has files in a folder, with the names of these files. */
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

interface OpenPlace {
  readonly folder: string
  readonly files: JournalFiles
  readonly setAside: SetAsideRecords
}

/** A repetition finds the completed steps and does not repeat them. */
async function recoverSurely(
  engine: Engine,
  place: OpenPlace,
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
  { folder, files: disk, setAside }: OpenPlace,
  writer: LeaseOwner,
  logRow: LogRow,
): Promise<Recovery> {
  await endEpoch(engine, writer)
  // This process has the lock, so the files no longer grow. They are read one at a time, because together they may be
  // very large.
  const files = disk.list(folder).filter((name) => isJournalOf(writer, name))
  // Settlements are shipped first. Only requests that are still open after that were interrupted.
  let charged = 0
  for (const name of files) {
    for (const texts of batchesOf(linesOf(disk.read(folder, name), 'S'))) {
      charged += await countFresh(engine, texts)
      await applyOrSetAside(engine, texts, setAside)
    }
  }
  // The latest record of a request has the most information, so the latest records come first.
  const latestFirst = files.toSorted((one, other) => segmentNumberOf(other) - segmentNumberOf(one))
  let requests = 0
  for (const name of latestFirst) {
    const records = linesOf(disk.read(folder, name), 'A').flatMap(readAdmitRecords).toReversed()
    for (const batch of batchesOf(records)) {
      const open = await findOpen(engine, batch)
      const texts = open.map((record) => interrupted(record, logRow))
      if (texts.length > 0) await applyOrSetAside(engine, texts, setAside)
      requests += open.length
    }
  }
  const leases = await closeLeasesOf(engine, writer)
  const missing = files.length === 0 && (await isUnsettled(engine, writer)) ? [writer] : []
  await markSettled(engine, writer)
  const damagedLines = files.reduce((sum, name) => sum + putAway(disk, folder, name), 0)
  return { requests, leases, charged, damagedLines, missing }
}

/**
 * Removes a journal after everything readable in it has reached the database. Keeps a journal with damaged lines, and
 * returns their number.
 */
function putAway(disk: JournalFiles, folder: string, name: string): number {
  const { damagedTexts } = openJournal(disk.read(folder, name))
  if (damagedTexts.length === 0) disk.remove(folder, name)
  else disk.rename(folder, name, damagedFileName(name))
  return damagedTexts.length
}

function linesOf(text: string, kind: LineKind): string[] {
  return openLines(text)
    .filter((line) => line.kind === kind)
    .map((line) => line.json)
}

function* batchesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += batchMax) yield all.slice(at, at + batchMax)
}

/** The number of new entries that the records will create. */
async function countFresh(engine: Engine, texts: readonly string[]): Promise<number> {
  const ids = new Set<string>()
  for (const text of texts) {
    for (const [shape, requestId] of recordsIn(text)) {
      if (entryShapeNames.has(shape)) ids.add(String(requestId))
    }
  }
  let fresh = 0
  for (const batch of batchesOf([...ids])) {
    fresh += batch.length - (await settledAmong(engine, batch)).size
  }
  return fresh
}

/** Records without an entry; for each request only the first one. */
async function findOpen(engine: Engine, records: readonly AdmitRecord[]): Promise<AdmitRecord[]> {
  const ids = records.map((record) => record.requestId)
  const seen = await settledAmong(engine, ids)
  return records.filter(({ requestId }) => {
    if (seen.has(requestId)) return false
    seen.add(requestId)
    return true
  })
}

async function settledAmong({ db }: Engine, ids: readonly string[]): Promise<Set<string>> {
  const entries = await db
    .selectFrom('entry')
    .select('request_id')
    .where('request_id', 'in', ids)
    .execute()
  return new Set(entries.map((entry) => entry.request_id))
}

function interrupted(record: AdmitRecord, logRow: LogRow): string {
  const { recovery } = record
  const flags: readonly ChargeFlag[] = record.usage
    ? ['interrupted', checkpointFlag]
    : ['interrupted']
  const settlement: Settlement = {
    costNano: BigInt(record.recoveryNano),
    usage: record.usage ?? { ...noUsage, input: recovery.inputTokens },
    usageSource: 'recovered',
    priceVersionId: recovery.priceVersionId,
    factorMicro: BigInt(recovery.factorMicro),
    flags,
  }
  return JSON.stringify([settleRecord(record, settlement), ...logRow({ record, settlement })])
}
