import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '../store/engine.ts'
import type { ShapedRecord } from '../store/shape.ts'
import type { AdmitValues } from './admit-record.ts'
import { type OpenAppendFile, openAppendFile, openReservingFile } from './append-file.ts'
import type { Admission, Durability, Journal, Settling } from './journal.ts'
import { sealLine } from './journal-lines.ts'
import { JournalSegment } from './journal-segment.ts'
import { JournalSegments } from './journal-segments.ts'
import { JournalTurn } from './journal-turn.ts'
import type { LeaseOwner } from './lease-units.ts'
import { LineBuffer } from './line-buffer.ts'
import { refusedFileName } from './refused-records.ts'
import { Shipper } from './shipper.ts'

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

export function openFileJournal(
  folder: string,
  owner: LeaseOwner,
  shipping: { engine: Engine; onError: (error: unknown) => void },
  options: JournalOptions = {},
): Journal {
  mkdirSync(folder, { recursive: true })
  const shipper = new Shipper(shipping.engine, {
    isImmediate: options.durability === 'database',
    onError: shipping.onError,
    onRefused: (text) => appendFileSync(join(folder, refusedFileName), sealLine('S', text)),
  })
  const openFile = options.durability === 'fsync' ? openReservingFile : openAppendFile
  const segments = new JournalSegments(folder, owner, options.openFile ?? openFile)
  return new FileJournal(segments, shipper, options)
}

/**
 * Appends to files that only this process writes, once for each turn of the event loop. A write that has returned
 * is in the kernel's hands and survives the death of the process; the database learns of it a moment later, many
 * requests at a time.
 */
class FileJournal implements Journal {
  readonly #segments: JournalSegments
  readonly #shipper: Shipper
  readonly #durability: Durability
  readonly #bytesMax: number
  readonly #onDiskError: (error: unknown) => void
  readonly #buffer = new LineBuffer()
  #turn: JournalTurn | undefined
  #syncTimer: ReturnType<typeof setTimeout> | undefined

  constructor(segments: JournalSegments, shipper: Shipper, options: JournalOptions) {
    this.#segments = segments
    this.#shipper = shipper
    this.#durability = options.durability ?? 'journal'
    this.#bytesMax = options.bytesMax ?? bytesMost
    this.#onDiskError = (error) => options.onDiskError?.(error)
  }

  get unshipped(): number {
    return this.#shipper.waiting
  }

  admit(admission: Admission, values: AdmitValues): Promise<void> {
    if (this.#segments.liveBytes > this.#bytesMax) {
      throw new Error('the journal is full: the database is too far behind')
    }
    const turn = this.#thisTurn()
    turn.admissions.push(admission)
    turn.admitted.push(values)
    return turn.written
  }

  settle(settling: Settling | undefined, given: readonly ShapedRecord[]): Promise<void> {
    const turn = this.#thisTurn()
    if (settling) turn.settlings.push(settling)
    for (const record of given) turn.records.push(record)
    turn.requests += 1
    return turn.safe
  }

  flush(): void {
    const turn = this.#turn
    if (!turn) return
    this.#turn = undefined
    let segment: JournalSegment
    try {
      segment = this.#write(turn)
    } catch (error) {
      turn.fail(error)
      if (isBroken(error)) this.#onDiskError(error)
      throw error
    }
    this.#conclude(turn, segment)
  }

  shipped(): Promise<void> {
    this.#flushLater()
    return this.#shipper.shipped()
  }

  async close(): Promise<void> {
    this.#flushLater()
    await this.#shipper.close()
    clearTimeout(this.#syncTimer)
    await this.#segments.close().catch(this.#onDiskError)
  }

  #thisTurn(): JournalTurn {
    if (this.#turn) return this.#turn
    this.#turn = new JournalTurn()
    setImmediate(() => this.#flushLater())
    return this.#turn
  }

  #flushLater(): void {
    try {
      this.flush()
    } catch {
      // Whoever waits for the turn hears of it.
    }
  }

  #write(turn: JournalTurn): JournalSegment {
    const { admissions, admitted, settlings, records, requests } = turn
    const segment = this.#segments.roomy()
    const text = records.length === 0 ? '' : storable(JSON.stringify(records))
    const buffer = this.#buffer
    buffer.clear()
    if (segment.isTorn) buffer.addBlank()
    if (admitted.length > 0) buffer.add('A', JSON.stringify(admitted))
    if (text !== '') buffer.add('S', text)
    this.#segments.write(segment, buffer.lines)
    segment.pending += admissions.length + requests
    for (const admission of admissions) admission.journalPlace = segment
    for (const { journalPlace } of settlings) {
      if (journalPlace instanceof JournalSegment) this.#segments.finish(journalPlace, 1)
    }
    if (requests > 0) this.#shipper.push(text, requests, () => this.#shippedTurn(turn, segment))
    return segment
  }

  #shippedTurn(turn: JournalTurn, segment: JournalSegment): void {
    this.#segments.finish(segment, turn.requests)
    if (this.#durability === 'database') turn.succeed()
    for (const settling of turn.settlings) settling.settleShipped()
  }

  /** What was admitted may go out at once. An answer may end when its settlement is as durable as is asked for. */
  #conclude(turn: JournalTurn, segment: JournalSegment): void {
    turn.admit()
    if (this.#durability === 'journal' || turn.requests === 0) {
      turn.succeed()
      this.#syncSoon(segment)
    } else if (this.#durability === 'fsync') {
      segment.durable().then(
        () => turn.succeed(),
        (error: unknown) => {
          turn.failSettling(error)
          this.#onDiskError(error)
        },
      )
    }
  }

  #syncSoon(segment: JournalSegment): void {
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined
      segment.durable().catch(this.#onDiskError)
    }, syncEveryMs)
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
