import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '../store/engine.ts'
import type { ShapedRecord } from '../store/shape.ts'
import type { AdmitValues } from './admit-record.ts'
import type { Admission, Journal, Settling } from './journal.ts'
import { journalFileName, sealLine } from './journal-lines.ts'
import { JournalSegment, type OpenAppendFile, openAppendFile } from './journal-segment.ts'
import { JournalTurn } from './journal-turn.ts'
import type { LeaseOwner } from './lease-units.ts'
import { LineBuffer } from './line-buffer.ts'
import { Shipper } from './shipper.ts'

/** A segment is deleted once everything in it is settled and shipped; small segments keep the folder small. */
const segmentBytesMax = 8 * 1024 * 1024

/** What the database would not take; empty on a healthy gateway. */
const refusedFileName = 'refused.log'

/**
 * Appends to files that only this process writes, once for each turn of the event loop. A write that has returned
 * is in the kernel's hands and survives the death of the process; the database learns of it a moment later, many
 * requests at a time.
 */
export function openFileJournal(
  folder: string,
  owner: LeaseOwner,
  shipping: { engine: Engine; onError: (error: unknown) => void },
  openFile: OpenAppendFile = openAppendFile,
): Journal {
  mkdirSync(folder, { recursive: true })
  let number = 0
  const openSegment = (): JournalSegment => {
    number += 1
    return new JournalSegment(openFile(join(folder, journalFileName(owner, number))))
  }
  const shipper = new Shipper(shipping.engine, {
    onError: shipping.onError,
    onRefused: (text) => appendFileSync(join(folder, refusedFileName), sealLine('S', text)),
  })
  return new FileJournal(openSegment, shipper)
}

class FileJournal implements Journal {
  readonly #openSegment: () => JournalSegment
  readonly #shipper: Shipper
  readonly #buffer = new LineBuffer()
  #current: JournalSegment
  #turn: JournalTurn | undefined

  constructor(openSegment: () => JournalSegment, shipper: Shipper) {
    this.#openSegment = openSegment
    this.#shipper = shipper
    this.#current = openSegment()
  }

  get unshipped(): number {
    return this.#shipper.waiting
  }

  admit(admission: Admission, values: AdmitValues): Promise<void> {
    const turn = this.#thisTurn()
    turn.admissions.push(admission)
    turn.admitted.push(values)
    return turn.written
  }

  settle(settling: Settling | undefined, records: readonly ShapedRecord[]): Promise<void> {
    const turn = this.#thisTurn()
    if (settling) turn.settlings.push(settling)
    for (const record of records) turn.records.push(record)
    turn.requests += 1
    return turn.written
  }

  flush(): void {
    const turn = this.#turn
    if (!turn) return
    this.#turn = undefined
    try {
      this.#write(turn)
    } catch (error) {
      turn.fail(error)
      throw error
    }
    turn.succeed()
  }

  shipped(): Promise<void> {
    this.#flushQuietly()
    return this.#shipper.shipped()
  }

  async close(): Promise<void> {
    this.#flushQuietly()
    await this.#shipper.close()
    if (this.#current.pending === 0) this.#current.discard()
    else this.#current.close()
  }

  #thisTurn(): JournalTurn {
    if (!this.#turn) {
      this.#turn = new JournalTurn()
      setImmediate(() => this.#flushQuietly())
    }
    return this.#turn
  }

  #flushQuietly(): void {
    try {
      this.flush()
    } catch {
      // Whoever waits for the turn hears of it.
    }
  }

  #write({ admissions, admitted, settlings, records, requests }: JournalTurn): void {
    const segment = this.#roomySegment()
    const text = records.length === 0 ? '' : storable(JSON.stringify(records))
    this.#buffer.clear()
    if (segment.isTorn) this.#buffer.addBlank()
    if (admitted.length > 0) this.#buffer.add('A', JSON.stringify(admitted))
    if (text !== '') this.#buffer.add('S', text)
    segment.write(this.#buffer.lines)
    segment.pending += admissions.length + requests
    for (const admission of admissions) admission.journalPlace = segment
    for (const { journalPlace } of settlings) {
      if (journalPlace instanceof JournalSegment) this.#finish(journalPlace, 1)
    }
    if (requests === 0) return
    this.#shipper.push(text === '' ? '[]' : text, requests, () => {
      this.#finish(segment, requests)
      for (const settling of settlings) settling.settleShipped()
    })
  }

  #roomySegment(): JournalSegment {
    const full = this.#current
    if (full.bytes < segmentBytesMax) return full
    this.#current = this.#openSegment()
    if (full.pending === 0) full.discard()
    return this.#current
  }

  #finish(segment: JournalSegment, count: number): void {
    segment.pending -= count
    if (segment.pending === 0 && segment !== this.#current) segment.discard()
  }
}

/** A caller may put a zero character into a name; Postgres cannot store one. */
function storable(json: string): string {
  return json.includes('\\u0000') ? json.replaceAll('\\u0000', '\\ufffd') : json
}
