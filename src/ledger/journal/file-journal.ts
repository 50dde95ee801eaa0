import { mkdirSync } from 'node:fs'
import type { Engine } from '../../store/engine.ts'
import type { ShapedRecord } from '../../store/shape.ts'
import type { LeaseOwner } from '../leases/lease-units.ts'
import type { AdmitValues } from './admit-record.ts'
import { type OpenAppendFile, openAppendFile, openReservingFile } from './append-file.ts'
import { recordsIn, type SetAsideRecords } from './apply-or-set-aside.ts'
import {
  type Admission,
  type Durability,
  type Journal,
  journalFull,
  type Settling,
} from './journal.ts'
import { type JournalFiles, journalFiles } from './journal-files.ts'
import { sealLine } from './journal-lines.ts'
import { JournalSegment } from './journal-segment.ts'
import { JournalSegments } from './journal-segments.ts'
import { JournalTurn } from './journal-turn.ts'
import { refusedFileName } from './leftovers.ts'
import { LineBuffer } from './line-buffer.ts'
import { Shipper } from './shipper.ts'

/** More than this is not owed to a database that does not answer. */
const bytesMost = 1024 * 1024 * 1024

/** The part of the journal that rows of refused requests may fill, while the database does not take them. */
const unchargedShare = 0.75

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
  readonly files?: JournalFiles
  /** The disk is broken: nothing that this process promises from now on can be believed. */
  onDiskError?(error: unknown): void
}

export interface Shipping {
  readonly engine: Engine
  onError(error: unknown): void
  /** The database has refused so many records because of what is in them. */
  onSetAside?(records: number): void
}

/** Keeps in a journal folder what the database refuses. */
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

  get isFull(): boolean {
    return this.#segments.liveBytes > this.#bytesMax
  }

  get hasRoomForUncharged(): boolean {
    // The file that is being written to counts in full, also when the database has all of it.
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
      // Whoever waits for the turn hears of it.
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

/** What JSON escapes and Postgres cannot store: a zero character, and half of a pair of surrogates. */
const unstorable = /\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/** A caller may put anything into a name. */
function storable(json: string): string {
  return json.includes('\\u') ? json.replace(unstorable, '\\ufffd') : json
}
