import { closeSync, openSync, rmSync, writeSync } from 'node:fs'

/** A new file that is only ever appended to. */
export interface AppendFile {
  /** Appends the bytes from `start` on, or some of them; says how many. */
  append(bytes: Uint8Array, start: number): number
  close(): void
  remove(): void
}

export type OpenAppendFile = (path: string) => AppendFile

export const openAppendFile: OpenAppendFile = (path) => {
  const file = openSync(path, 'wx', 0o600)
  return {
    append: (bytes, start) => writeSync(file, bytes, start),
    close: () => closeSync(file),
    remove: () => rmSync(path, { force: true }),
  }
}

/** One file of the journal. */
export class JournalSegment {
  readonly #file: AppendFile
  #isTorn = false
  bytes = 0
  /** Admissions without a settlement, and settlements that the database has not got yet. */
  pending = 0

  constructor(file: AppendFile) {
    this.#file = file
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

  close(): void {
    this.#file.close()
  }

  discard(): void {
    this.#file.close()
    this.#file.remove()
  }
}
