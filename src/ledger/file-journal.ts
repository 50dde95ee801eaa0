import { appendFileSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from '../store/engine.ts'
import type { Admitted, Journal } from './journal.ts'
import { journalFileName, sealLine } from './journal-lines.ts'
import type { LeaseOwner } from './lease-units.ts'
import { Shipper } from './shipper.ts'

/** A segment is deleted once everything in it is settled and shipped; small segments keep the folder small. */
const segmentBytesMax = 8 * 1024 * 1024

/** What the database would not take; empty on a healthy gateway. */
const refusedFileName = 'refused.log'

class Segment implements Admitted {
  readonly segment = this
  readonly path: string
  readonly file: number
  bytes = 0
  /** Admissions without a settlement, and settlements that the database has not got yet. */
  pending = 0

  constructor(path: string) {
    this.path = path
    this.file = openSync(path, 'wx', 0o600)
  }

  write(line: string): void {
    let written = writeSync(this.file, line)
    this.bytes += written
    if (written >= line.length && written === Buffer.byteLength(line)) return
    // A full disk writes a part and then fails; anything else is written on.
    const bytes = Buffer.from(line)
    while (written < bytes.length) written += writeSync(this.file, bytes, written)
  }

  discard(): void {
    closeSync(this.file)
    rmSync(this.path, { force: true })
  }
}

/**
 * Appends to files that only this process writes. A write that has returned is in the kernel's hands and survives
 * the death of the process; the database learns of it a moment later, many requests at a time.
 */
export function openFileJournal(
  folder: string,
  owner: LeaseOwner,
  shipping: { engine: Engine; onError: (error: unknown) => void },
): Journal {
  mkdirSync(folder, { recursive: true })
  let number = 0
  const openSegment = (): Segment => {
    number += 1
    return new Segment(join(folder, journalFileName(owner, number)))
  }
  let current = openSegment()
  const shipper = new Shipper(shipping.engine, {
    onError: shipping.onError,
    onRefused: (text) => appendFileSync(join(folder, refusedFileName), sealLine('S', text)),
  })
  const finish = (segment: Segment): void => {
    segment.pending -= 1
    if (segment.pending === 0 && segment !== current) segment.discard()
  }
  const write = (line: string): Segment => {
    if (current.bytes >= segmentBytesMax) {
      const full = current
      current = openSegment()
      if (full.pending === 0) full.discard()
    }
    const segment = current
    segment.pending += 1
    try {
      segment.write(line)
    } catch (error) {
      segment.pending -= 1
      throw error
    }
    return segment
  }

  return {
    admit: (record) => write(sealLine('A', JSON.stringify(record))),
    settle: (admitted, records, whenShipped) => {
      const text = storable(JSON.stringify(records))
      const segment = write(sealLine('S', text))
      if (admitted instanceof Segment) finish(admitted)
      shipper.push(text, () => {
        finish(segment)
        whenShipped?.()
      })
    },
    shipped: () => shipper.shipped(),
    get unshipped() {
      return shipper.waiting
    },
    close: async () => {
      await shipper.close()
      if (current.pending === 0) current.discard()
      else closeSync(current.file)
    },
  }
}

/** A caller may put a zero character into a name; Postgres cannot store one. */
function storable(json: string): string {
  return json.includes('\\u0000') ? json.replaceAll('\\u0000', '\\ufffd') : json
}
