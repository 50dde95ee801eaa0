import type { AppendFile } from './append-file.ts'
import { DiskSync } from './disk-sync.ts'

/** One file of the journal. */
export class JournalSegment {
  readonly #file: AppendFile
  readonly #sync: DiskSync
  #isTorn = false
  #isGone = false
  #syncedBytes = 0
  bytes = 0
  /** Admissions without a settlement, and settlements that the database does not have yet. */
  pending = 0

  constructor(file: AppendFile) {
    this.#file = file
    this.#sync = new DiskSync(() => this.#syncNow())
  }

  /** A failed write has left a partial line; the next write must start on a new line. */
  get isTorn(): boolean {
    return this.#isTorn
  }

  /** Writes whole lines or throws. After an error nothing of the lines is left, or the checksum exposes the rest. */
  write(bytes: Uint8Array): void {
    const start = this.#file.position()
    try {
      let written = 0
      while (written < bytes.length) written += this.#file.append(bytes, written)
    } catch (error) {
      this.#isTorn = !this.#isCutBack(start) || this.#isTorn
      throw error
    }
    this.#isTorn = false
    this.bytes += bytes.length
  }

  #isCutBack(position: number): boolean {
    try {
      this.#file.cutBack(position)
      return true
    } catch {
      // The next write closes the partial line.
      return false
    }
  }

  /** Resolves when everything written before this call would survive a loss of power. */
  durable(): Promise<void> {
    const isDone = this.#isGone || this.#syncedBytes === this.bytes
    return isDone ? Promise.resolve() : this.#sync.request()
  }

  close(): void {
    this.#isGone = true
    this.#file.close()
  }

  /** Removes a segment of which the database has everything. */
  discard(): void {
    this.close()
    this.remove()
  }

  remove(): void {
    this.#file.remove()
  }

  async #syncNow(): Promise<void> {
    try {
      const bytes = this.bytes
      if (!this.#isGone) await this.#file.sync()
      this.#syncedBytes = bytes
    } catch (error) {
      // Data that the database has does not need the disk any more.
      if (!this.#isGone) throw error
    }
  }
}
