import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '../store/engine.ts'
import type { Durability, Journal } from './journal.ts'
import { journalFileName, sealLine } from './journal-lines.ts'
import { JournalSegment, type OpenAppendFile, openAppendFile } from './journal-segment.ts'
import { JournalTurn } from './journal-turn.ts'
import type { LeaseOwner } from './lease-units.ts'
import { refusedFileName } from './refused-records.ts'
import { LineBuffer } from './line-buffer.ts'
import { Shipper } from './shipper.ts'

/** A segment is deleted once everything in it is settled and shipped; small segments keep the folder small. */
const segmentBytesMax = 8 * 1024 * 1024

/** More than this is not owed to a database that does not answer. */
const bytesMost = 1024 * 1024 * 1024

/** How long what was written may be only in the kernel's hands. */
const syncEveryMs = 10

export interface JournalOptions {
  readonly openFile?: OpenAppendFile
  /**
   * What an answer waits for: `journal`, that its line is written, which survives the death of the process;
   * `fsync`, that it is on the disk; `database`, that the database has it.
   */
  readonly durability?: Durability
  /** Past this size nothing new is admitted until the database has caught up. */
  readonly bytesMax?: number
  /** The disk is broken: nothing that this process promises from now on can be believed. */
  onDiskError?(error: unknown): void
}

/**
 * Appends to files that only this process writes, once for each turn of the event loop. A write that has returned
 * is in the kernel's hands and survives the death of the process; the database learns of it a moment later, many
 * requests at a time.
 */
export function openFileJournal(
  folder: string,
  owner: LeaseOwner,
  shipping: { engine: Engine; onError: (error: unknown) => void },
  options: JournalOptions = {},
): Journal {
  const { openFile = openAppendFile, durability = 'journal', bytesMax = bytesMost } = options
  mkdirSync(folder, { recursive: true })
  let number = 0
  const openSegment = (): JournalSegment => {
    number += 1
    return new JournalSegment(openFile(join(folder, journalFileName(owner, number))))
  }
  let current = openSegment()
  let turn: JournalTurn | undefined
  const buffer = new LineBuffer()
  let liveBytes = 0
  let syncTimer: ReturnType<typeof setTimeout> | undefined
  const discard = (segment: JournalSegment): void => {
    liveBytes -= segment.bytes
    segment.discard()
  }
  const isImmediate = durability === 'database'
  const shipper = new Shipper(shipping.engine, {
    isImmediate,
    onError: shipping.onError,
    onRefused: (text) => appendFileSync(join(folder, refusedFileName), sealLine('S', text)),
  })
  const finish = (segment: JournalSegment, count: number): void => {
    segment.pending -= count
    if (segment.pending === 0 && segment !== current) discard(segment)
  }
  const roomySegment = (): JournalSegment => {
    if (current.bytes < segmentBytesMax) return current
    const full = current
    current = openSegment()
    if (full.pending === 0) discard(full)
    return current
  }

  const writeTurn = (ended: JournalTurn): JournalSegment => {
    const { admissions, settlings, records, requests } = ended
    const segment = roomySegment()
    const text = records.length === 0 ? '' : storable(JSON.stringify(records))
    const admitted = admissions.map((admission) => admission.admitValues)
    buffer.clear()
    if (segment.isTorn) buffer.addBlank()
    if (admitted.length > 0) buffer.add('A', JSON.stringify(admitted))
    if (text !== '') buffer.add('S', text)
    segment.write(buffer.lines)
    liveBytes += buffer.lines.length
    segment.pending += admissions.length + requests
    for (const admission of admissions) admission.journalPlace = segment
    for (const { journalPlace } of settlings) {
      if (journalPlace instanceof JournalSegment) finish(journalPlace, 1)
    }
    if (requests > 0) {
      shipper.push(text, requests, () => {
        finish(segment, requests)
        if (durability === 'database') ended.succeed()
        for (const settling of settlings) settling.settleShipped()
      })
    }
    return segment
  }
  const broken = (error: unknown): void => options.onDiskError?.(error)
  const syncSoon = (segment: JournalSegment): void => {
    syncTimer ??= setTimeout(() => {
      syncTimer = undefined
      segment.durable().catch(broken)
    }, syncEveryMs)
  }
  /** When those who wait for the turn may go on. */
  const conclude = (ended: JournalTurn, segment: JournalSegment): void => {
    if (durability === 'database' && ended.requests > 0) return
    if (durability !== 'fsync') {
      ended.succeed()
      syncSoon(segment)
      return
    }
    segment.durable().then(
      () => ended.succeed(),
      (error: unknown) => {
        ended.fail(error)
        broken(error)
      },
    )
  }
  const flush = (): void => {
    if (!turn) return
    const ended = turn
    turn = undefined
    let segment: JournalSegment
    try {
      segment = writeTurn(ended)
    } catch (error) {
      ended.fail(error)
      if (isBroken(error)) broken(error)
      throw error
    }
    conclude(ended, segment)
  }
  const flushLater = (): void => {
    try {
      flush()
    } catch {
      // Whoever waits for the turn hears of it.
    }
  }
  const thisTurn = (): JournalTurn => {
    if (turn) return turn
    turn = new JournalTurn()
    setImmediate(flushLater)
    return turn
  }

  return {
    admit: (admission) => {
      if (liveBytes > bytesMax)
        throw new Error('the journal is full: the database is too far behind')
      const { admissions, written } = thisTurn()
      admissions.push(admission)
      return written
    },
    settle: (settling, given) => {
      const open = thisTurn()
      if (settling) open.settlings.push(settling)
      for (const record of given) open.records.push(record)
      open.requests += 1
      return open.written
    },
    flush,
    shipped: () => {
      flushLater()
      return shipper.shipped()
    },
    get unshipped() {
      return shipper.waiting
    },
    close: async () => {
      flushLater()
      await shipper.close()
      clearTimeout(syncTimer)
      if (current.pending === 0) {
        current.discard()
        return
      }
      // The next start finds it, also after a loss of power.
      await current.durable().catch(broken)
      current.close()
    },
  }
}

/** A full disk is a reason to wait; these are none to go on. */
function isBroken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EIO' || code === 'EROFS' || code === 'EBADF' || code === 'ENODEV'
}

/** A caller may put a zero character into a name; Postgres cannot store one. */
function storable(json: string): string {
  return json.includes('\\u0000') ? json.replaceAll('\\u0000', '\\ufffd') : json
}
