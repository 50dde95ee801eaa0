import { join } from 'node:path'
import type { LeaseOwner } from '../leases/lease-units.ts'
import type { OpenAppendFile } from './append-file.ts'
import { journalFileName } from './journal-lines.ts'
import { JournalSegment } from './journal-segment.ts'

/** A segment is deleted once everything in it is settled and shipped; small segments keep the folder small. */
const segmentBytesMax = 8 * 1024 * 1024

/** The files of one process's journal. Only the last one is written to. */
export class JournalSegments {
  /** Size of all files that still exist. */
  liveBytes = 0
  readonly #open: () => JournalSegment
  #current: JournalSegment

  constructor(folder: string, owner: LeaseOwner, openFile: OpenAppendFile) {
    let number = 0
    this.#open = () => {
      number += 1
      return new JournalSegment(openFile(join(folder, journalFileName(owner, number))))
    }
    this.#current = this.#open()
  }

  /** The segment to write to; opens a new one when the last is full. */
  roomy(): JournalSegment {
    if (this.#current.bytes < segmentBytesMax) return this.#current
    const full = this.#current
    this.#current = this.#open()
    if (full.pending === 0) this.#discard(full)
    return this.#current
  }

  write(segment: JournalSegment, lines: Uint8Array): void {
    segment.write(lines)
    this.liveBytes += lines.length
  }

  /** Marks this many requests of a segment as finished with it. */
  finish(segment: JournalSegment, count: number): void {
    segment.pending -= count
    if (segment.pending === 0 && segment !== this.#current) this.#discard(segment)
  }

  async close(): Promise<void> {
    const current = this.#current
    // The next start must find the segment, even after a loss of power.
    const isSafe = current.pending === 0 ? Promise.resolve() : current.durable()
    await isSafe.finally(() => current.close())
  }

  /** Removes the files when nothing in them is needed. */
  remove(): void {
    if (this.#current.pending === 0) this.#current.remove()
  }

  #discard(segment: JournalSegment): void {
    this.liveBytes -= segment.bytes
    segment.discard()
  }
}
