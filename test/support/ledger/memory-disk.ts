import { basename } from 'node:path'
import type { JournalFiles } from '../../../src/ledger/journal-files.ts'
import type { AppendFile, OpenAppendFile } from '../../../src/ledger/journal-segment.ts'

interface FileOnDisk {
  text: Buffer
  /** How many bytes a loss of power leaves. */
  synced: number
}

/** What a disk may do instead of what it is told. */
export interface DiskFaults {
  /** Called before each write: how many of the bytes get through before it fails with the error; undefined for all. */
  onWrite?(count: number): { readonly written: number; readonly error: Error } | undefined
  /** Called before each sync; true when the disk only says that it has synced. */
  onSync?(): Promise<boolean> | boolean
}

/** One folder of files in memory, which outlives the processes that write to it. */
export class MemoryDisk {
  readonly #files = new Map<string, FileOnDisk>()

  readonly files: JournalFiles = {
    list: () => [...this.#files.keys()],
    read: (_, name) => this.#files.get(name)?.text.toString('utf8') ?? '',
    remove: (_, name) => void this.#files.delete(name),
  }

  get names(): string[] {
    return [...this.#files.keys()]
  }

  opener(faults: DiskFaults = {}): OpenAppendFile {
    return (path) => {
      const name = basename(path)
      if (this.#files.has(name)) throw new Error(`there is a file ${name} already`)
      const file: FileOnDisk = { text: Buffer.alloc(0), synced: 0 }
      this.#files.set(name, file)
      return this.#appendFile(name, file, faults)
    }
  }

  /** What a write that never came to its end leaves behind. */
  tear(text: string): void {
    const last = [...this.#files.values()].at(-1)
    if (last) last.text = Buffer.concat([last.text, Buffer.from(text)])
  }

  /** Only what was synced is left, and of the rest as much as `keep` says. */
  losePower(keep: (unsyncedBytes: number) => number): void {
    for (const file of this.#files.values()) {
      const kept = file.synced + keep(file.text.length - file.synced)
      file.text = file.text.subarray(0, kept)
      file.synced = kept
    }
  }

  #appendFile(name: string, file: FileOnDisk, faults: DiskFaults): AppendFile {
    return {
      append: (bytes, start) => {
        const fault = faults.onWrite?.(bytes.length - start)
        const taken = fault ? bytes.subarray(start, start + fault.written) : bytes.subarray(start)
        file.text = Buffer.concat([file.text, taken])
        if (fault) throw fault.error
        return taken.length
      },
      sync: async () => {
        const length = file.text.length
        const isLie = (await faults.onSync?.()) ?? false
        if (!isLie) file.synced = Math.max(file.synced, length)
      },
      close: () => undefined,
      remove: () => void (this.#files.get(name) === file && this.#files.delete(name)),
    }
  }
}
