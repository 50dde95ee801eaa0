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
  /** Admissions without a settlement, and settlements that the database has not got yet. */
  pending = 0

  constructor(file: AppendFile) {
    this.#file = file
    this.#sync = new DiskSync(() => this.#syncNow())
  }

  /** A write that failed has left a part of itself behind: what comes next must begin on a line of its own. */
  get isTorn(): boolean {
    return this.#isTorn
  }

  /** Whole lines, or an error: then nothing of them is left, or what is left of them is told by its checksum. */
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
      // The next write closes what is left.
      return false
    }
  }

  /** Resolves when all that was written before this call would survive a loss of power. */
  durable(): Promise<void> {
    const isDone = this.#isGone || this.#syncedBytes === this.bytes
    return isDone ? Promise.resolve() : this.#sync.request()
  }

  close(): void {
    this.#isGone = true
    this.#file.close()
  }

  /** The database has all of it. */
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
      // What the database has needs no disk any more.
      if (!this.#isGone) throw error
    }
  }
}
