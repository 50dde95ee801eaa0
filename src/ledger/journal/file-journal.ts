import { mkdirSync } from 'node:fs'
import type { Durability } from '../../core/runtime/durability.ts'
import type { Engine } from '../../store/engine.ts'
import type { ShapedRecord } from '../../store/units/shape.ts'
import type { LeaseOwner } from '../leases/lease-units.ts'
import type { AdmitValues } from './admit-record.ts'
import { type OpenAppendFile, openAppendFile, openReservingFile } from './append-file.ts'
import { recordsIn, type SetAsideRecords } from './apply-or-set-aside.ts'
import { type Admission, type Journal, journalFull, type Settling } from './journal.ts'
import { type JournalFiles, journalFiles } from './journal-files.ts'
import { sealLine } from './journal-lines.ts'
import { JournalSegment } from './journal-segment.ts'
import { JournalSegments } from './journal-segments.ts'
import { JournalTurn } from './journal-turn.ts'
import { refusedFileName } from './leftovers.ts'
import { LineBuffer } from './line-buffer.ts'
import { Shipper } from './shipper.ts'

/** Default limit for journal data that the database does not have yet. */
const bytesMost = 1024 * 1024 * 1024

/** The share of the journal that usage rows of refused requests may fill while the database does not take them. */
const unchargedShare = 0.75

/** How long written data may stay in the kernel's cache before it is synced. */
const syncEveryMs = 10

export interface JournalOptions {
  readonly openFile?: OpenAppendFile
  /**
   * The condition that a response waits for. `journal`: its line is written and survives the death of the process.
   * `fsync`: the line is on the disk. `database`: the database has the records.
   */
  readonly durability?: Durability
  /** Above this size nothing new is admitted until the database catches up. */
  readonly bytesMax?: number
  readonly files?: JournalFiles
  /** The disk is broken, so this process can no longer guarantee any write. */
  onDiskError?(error: unknown): void
}

export interface Shipping {
  readonly engine: Engine
  onError(error: unknown): void
  /** The database has refused this many records because of their content. */
  onSetAside?(records: number): void
}

/** Stores records that the database refuses in a journal folder. */
export function setAsideIn(
  folder: string,
  files: JournalFiles,
  onSetAside: ((records: number) => void) | undefined,
): SetAsideRecords {
  return async (texts) => {
    await files.keep(folder, refusedFileName, texts.map((text) => sealLine('S', text)).join(''))
    onSetAside?.(texts.reduce((sum, text) => sum + recordsIn(text).length, 0))
  }
}

export function openFileJournal(
  folder: string,
  owner: LeaseOwner,
  shipping: Shipping,
  options: JournalOptions = {},
): Journal {
  mkdirSync(folder, { recursive: true })
  const { engine, onError } = shipping
  const setAside = setAsideIn(folder, options.files ?? journalFiles, shipping.onSetAside)
  const isImmediate = options.durability === 'database'
  const shipper = new Shipper({ engine, setAside, onError, isImmediate })
  const openFile = options.durability === 'fsync' ? openReservingFile : openAppendFile
  const segments = new JournalSegments(folder, owner, options.openFile ?? openFile)
  return new FileJournal(segments, shipper, options)
}

/**
 * Appends to files that only this process writes, once for each turn of the event loop. A write that has returned is in
 * the kernel and survives the death of the process. The database gets the lines a moment later, many requests at a
 * time.
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

  get isFull(): boolean {
    return this.#segments.liveBytes > this.#bytesMax
  }

  get hasRoomForUncharged(): boolean {
    // The current file counts in full, even when the database has all of its lines.
    return this.unshipped === 0 || this.#segments.liveBytes <= this.#bytesMax * unchargedShare
  }

  admit(admission: Admission, values: AdmitValues): Promise<void> {
    if (this.isFull) throw new Error(journalFull)
    const turn = this.#thisTurn()
    turn.admissions.push(admission)
    turn.admitted.push(values)
    return turn.written
  }

  checkpoint(admission: Admission, values: AdmitValues): void {
    const turn = this.#thisTurn()
    turn.checkpoints.push(admission)
    turn.progress.push(values)
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

  async close(withinMs: number): Promise<void> {
    this.#flushLater()
    await this.#shipper.close(withinMs)
    clearTimeout(this.#syncTimer)
    await this.#segments.close().catch(this.#onDiskError)
  }

  remove(): void {
    this.#segments.remove()
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
      // Requests that wait for the turn get the error.
    }
  }

  #write(turn: JournalTurn): JournalSegment {
    const { admissions, admitted, checkpoints, progress, settlings, records, requests } = turn
    const segment = this.#segments.roomy()
    const text = records.length === 0 ? '' : storable(JSON.stringify(records))
    const buffer = this.#buffer
    buffer.clear()
    if (segment.isTorn) buffer.addAbandonedEnd()
    if (admitted.length > 0) buffer.add('A', JSON.stringify(admitted))
    if (progress.length > 0) buffer.add('A', JSON.stringify(progress))
    if (text !== '') buffer.add('S', text)
    this.#segments.write(segment, buffer.lines)
    segment.pending += admissions.length + checkpoints.length + requests
    for (const admission of admissions) admission.journalPlace = segment
    for (const admission of checkpoints) {
      this.#leavePlace(admission)
      admission.journalPlace = segment
    }
    for (const settling of settlings) this.#leavePlace(settling)
    if (requests > 0) this.#shipper.push(text, requests, () => this.#shippedTurn(turn, segment))
    return segment
  }

  #leavePlace({ journalPlace }: Pick<Admission, 'journalPlace'>): void {
    if (journalPlace instanceof JournalSegment) this.#segments.finish(journalPlace, 1)
  }

  #shippedTurn(turn: JournalTurn, segment: JournalSegment): void {
    this.#segments.finish(segment, turn.requests)
    if (this.#durability === 'database') turn.succeed()
    for (const settling of turn.settlings) settling.settleShipped()
  }

  /**
   * An admitted request may be forwarded at once. A response may end when its settlement is as durable as configured.
   */
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

/** The gateway can wait for space on a full disk; after these errors it cannot continue. */
function isBroken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EIO' || code === 'EROFS' || code === 'EBADF' || code === 'ENODEV'
}

/** JSON escapes that Postgres cannot store: the zero character and lone surrogates. */
const unstorable = /\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/** A client may put any character into a name. */
function storable(json: string): string {
  return json.includes('\\u') ? json.replace(unstorable, '\\ufffd') : json
}
