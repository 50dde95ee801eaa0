import { closeSync, fdatasync, openSync, rmSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { DiskSync } from './disk-sync.ts'

const syncData = promisify(fdatasync)

/** A new file that is only ever appended to. */
export interface AppendFile {
  /** Appends the bytes from `start` on, or some of them; says how many. */
  append(bytes: Uint8Array, start: number): number
  /** Resolves when all that was appended is on the disk. */
  sync(): Promise<void>
  close(): void
  remove(): void
}

export type OpenAppendFile = (path: string) => AppendFile

export const openAppendFile: OpenAppendFile = (path) => {
  const file = openSync(path, 'wx', 0o600)
  return {
    append: (bytes, start) => writeSync(file, bytes, start),
    sync: () => syncData(file),
    close: () => closeSync(file),
    remove: () => rmSync(path, { force: true }),
  }
}

/** One file of the journal. */
export class JournalSegment {
  readonly #file: AppendFile
  readonly #sync: DiskSync
  #isTorn = false
  #isGone = false
  bytes = 0
  /** Admissions without a settlement, and settlements that the database has not got yet. */
  pending = 0

  constructor(file: AppendFile) {
    this.#file = file
    this.#sync = new DiskSync(() => this.#syncNow())
  }

  /** A write that failed may have left a part of itself behind: what comes next must begin on a line of its own. */
  get isTorn(): boolean {
    return this.#isTorn
  }

  /** Whole lines, or an error: then what is left of them is told by its checksum. */
  write(bytes: Uint8Array): void {
    this.#isTorn = true
    let written = 0
    while (written < bytes.length) written += this.#file.append(bytes, written)
    this.#isTorn = false
    this.bytes += bytes.length
  }

  /** Resolves when all that was written before this call would survive a loss of power. */
  durable(): Promise<void> {
    return this.#isGone ? Promise.resolve() : this.#sync.request()
  }

  close(): void {
    this.#isGone = true
    this.#file.close()
  }

  /** The database has all of it. */
  discard(): void {
    this.close()
    this.#file.remove()
  }

  async #syncNow(): Promise<void> {
    try {
      if (!this.#isGone) await this.#file.sync()
    } catch (error) {
      // What the database has needs no disk any more.
      if (!this.#isGone) throw error
    }
  }
}
