import { basename } from 'node:path'
import type { AppendFile, OpenAppendFile } from '../../../src/ledger/journal/append-file.ts'
import type { JournalFiles } from '../../../src/ledger/journal/journal-files.ts'
import type { FileLock } from '../../../src/store/engine/file-lock.ts'

interface FileOnDisk {
  text: Buffer
  /** The number of bytes that survive a power loss. */
  synced: number
}

/** Faults of a disk. */
export interface DiskFaults {
  /**
   * Called before each write: how many bytes are written before the write fails with the error; undefined for no fault.
   */
  onWrite?(count: number): { readonly written: number; readonly error: Error } | undefined
  /** Called before each sync; true when the disk only claims to have synced. */
  onSync?(): Promise<boolean> | boolean
}

/** The state of a disk after a power loss, beyond the synced bytes. */
export interface PowerLoss {
  /** How many of the unsynced bytes survive. */
  keep(unsyncedBytes: number): number
  /** Whether blocks among the surviving bytes are lost. */
  hasHoles(): boolean
  /** Whether a recently removed file is back. */
  isBack(): boolean
}

interface Life {
  readonly isOver: boolean
}

const noLife: Life = { isOver: false }

/** One folder of files in memory, which outlives the processes that write to it. */
export class MemoryDisk {
  readonly #files = new Map<string, FileOnDisk>()
  /** Removed files whose removal the disk may not have synced yet. */
  readonly #removed = new Map<string, FileOnDisk>()
  readonly #locks = new Map<string, Life>()

  /** Files that wait for an operator, by name: they do not count as left behind. */
  readonly kept = new Map<string, string>()

  get names(): string[] {
    return [...this.#files.keys()]
  }

  /** The folder as one process sees it: its locks are released at the end of its life. */
  filesOf(life: Life = noLife): JournalFiles {
    return {
      list: () => [...this.#files.keys()],
      read: (_, name) => this.#files.get(name)?.text.toString('utf8') ?? '',
      remove: (_, name) => {
        if (!life.isOver) this.#remove(name)
      },
      rename: (_, name, newName) => {
        const file = this.#files.get(name)
        if (!file || life.isOver) return
        this.#files.delete(name)
        this.kept.set(newName, file.text.toString('utf8'))
      },
      keep: async (_, name, lines) => {
        if (!life.isOver) this.kept.set(name, (this.kept.get(name) ?? '') + lines)
      },
      claim: (_, name) => {
        this.#files.set(name, { text: Buffer.alloc(0), synced: 0 })
        return this.#lock(name, life)
      },
      lock: (_, name, isMade) => {
        if (!this.#files.has(name) && !isMade) return undefined
        if (this.#locks.get(name)?.isOver === false) return undefined
        if (!this.#files.has(name)) this.#files.set(name, { text: Buffer.alloc(0), synced: 0 })
        return this.#lock(name, life)
      },
    }
  }

  opener(faults: DiskFaults = {}): OpenAppendFile {
    return (path) => {
      const name = basename(path)
      if (this.#files.has(name)) throw new Error(`the file ${name} exists already`)
      const file: FileOnDisk = { text: Buffer.alloc(0), synced: 0 }
      this.#files.set(name, file)
      return this.#appendFile(name, file, faults)
    }
  }

  /** Leaves the remains of an incomplete write. */
  tear(text: string): void {
    const last = [...this.#files].findLast(([name]) => name.endsWith('.log'))?.[1]
    if (last) last.text = Buffer.concat([last.text, Buffer.from(text)])
  }

  /** Changes one byte of one chosen file; false when no chosen file has content. */
  damage(isChosen: (name: string) => boolean, draw: (most: number) => number): boolean {
    for (const [name, file] of this.#files) {
      if (!isChosen(name) || file.text.length === 0) continue
      const at = draw(file.text.length - 1)
      file.text[at] = (file.text[at] ?? 0) ^ 0x15
      return true
    }
    return false
  }

  losePower({ keep, hasHoles, isBack }: PowerLoss): void {
    for (const [name, file] of this.#removed) if (isBack()) this.#files.set(name, file)
    this.#removed.clear()
    for (const [name, file] of this.#files) {
      const unsynced = file.text.length - file.synced
      const kept = file.synced + keep(unsynced)
      // Without a sync, the name of a file may be lost like its content.
      if (kept === 0 && (unsynced > 0 || hasHoles())) this.#files.delete(name)
      file.text = Buffer.from(file.text.subarray(0, kept))
      if (hasHoles()) file.text.fill(0, file.synced, file.synced + keep(kept - file.synced))
      file.synced = kept
    }
  }

  #lock(name: string, life: Life): FileLock {
    this.#locks.set(name, life)
    return {
      release: () => {
        if (this.#locks.get(name) === life) this.#locks.delete(name)
      },
    }
  }

  #remove(name: string): void {
    const file = this.#files.get(name)
    if (file) this.#removed.set(name, file)
    this.#files.delete(name)
  }

  #appendFile(name: string, file: FileOnDisk, faults: DiskFaults): AppendFile {
    let isCuttable = true
    return {
      position: () => file.text.length,
      cutBack: (position) => {
        if (!isCuttable) throw new Error('the disk does not answer')
        file.text = Buffer.from(file.text.subarray(0, position))
      },
      append: (bytes, start) => {
        const fault = faults.onWrite?.(bytes.length - start)
        // A dead process cannot cut back its write, and neither can a broken disk.
        isCuttable = fault?.error.message === 'ENOSPC'
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
      remove: () => {
        if (this.#files.get(name) === file) this.#remove(name)
      },
    }
  }
}
