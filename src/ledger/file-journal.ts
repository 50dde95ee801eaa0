import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '../store/engine.ts'
import type { Journal } from './journal.ts'
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
  let current = openSegment()
  let turn: JournalTurn | undefined
  const buffer = new LineBuffer()
  const shipper = new Shipper(shipping.engine, {
    onError: shipping.onError,
    onRefused: (text) => appendFileSync(join(folder, refusedFileName), sealLine('S', text)),
  })
  const finish = (segment: JournalSegment, count: number): void => {
    segment.pending -= count
    if (segment.pending === 0 && segment !== current) segment.discard()
  }
  const roomySegment = (): JournalSegment => {
    if (current.bytes < segmentBytesMax) return current
    const full = current
    current = openSegment()
    if (full.pending === 0) full.discard()
    return current
  }

  const writeTurn = ({ admissions, settlings, records, requests }: JournalTurn): void => {
    const segment = roomySegment()
    const text = records.length === 0 ? '' : storable(JSON.stringify(records))
    const admitted = admissions.map((admission) => admission.admitValues)
    buffer.clear()
    if (segment.isTorn) buffer.addBlank()
    if (admitted.length > 0) buffer.add('A', JSON.stringify(admitted))
    if (text !== '') buffer.add('S', text)
    segment.write(buffer.lines)
    segment.pending += admissions.length + requests
    for (const admission of admissions) admission.journalPlace = segment
    for (const { journalPlace } of settlings) {
      if (journalPlace instanceof JournalSegment) finish(journalPlace, 1)
    }
    if (requests === 0) return
    shipper.push(text, requests, () => {
      finish(segment, requests)
      for (const settling of settlings) settling.settleShipped()
    })
  }
  const flush = (): void => {
    if (!turn) return
    const ended = turn
    turn = undefined
    try {
      writeTurn(ended)
    } catch (error) {
      ended.fail(error)
      throw error
    }
    ended.succeed()
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
      if (current.pending === 0) current.discard()
      else current.close()
    },
  }
}

/** A caller may put a zero character into a name; Postgres cannot store one. */
function storable(json: string): string {
  return json.includes('\\u0000') ? json.replaceAll('\\u0000', '\\ufffd') : json
}
