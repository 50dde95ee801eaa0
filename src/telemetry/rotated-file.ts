import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitAtMost } from '../core/time/wait-at-most.ts'
import { DelayedRun } from './delayed-run.ts'
import { cutUnfinished, unfinishedBytes } from './unfinished-line.ts'

/** Values of the limits; shorter times in tests. */
export const rotatedFileLimits = {
  /** Text that waits for the disk. Beyond that, new lines are dropped. */
  waitingBytesMax: 4 * 1024 * 1024,
  /** Lines are collected for this long, so that a busy gateway makes few system calls. */
  delayMs: 100,
  /** The time for the remaining lines when the process stops. */
  endMs: 3_000,
  /** A process that died while it renamed the files leaves its mark behind for this long. */
  markMs: 10_000,
  /** How often a batch waits for another process that repairs the file. */
  repairTriesMax: 10,
}

export interface RotatedFileOptions {
  readonly path: string
  readonly bytesMax: number
  /** Renamed files that are kept. */
  readonly filesMax: number
  readonly nowMs: () => number
  /** Lines that are not in the file, and why. */
  onDropped(lines: number, why: unknown): void
  readonly limits?: Partial<typeof rotatedFileLimits>
}

/**
 * A file of lines that is renamed when it has become too large. Adding a line never waits, and no failure of the disk
 * reaches the caller.
 *
 * Several processes may write to one file: each batch is one append of whole lines, and only the process that has
 * created the mark beside the file renames or repairs. A file that another program has renamed or deleted is opened
 * again before the next batch, so logrotate needs no signal.
 */
export class RotatedFile {
  readonly #options: RotatedFileOptions
  readonly #limits: typeof rotatedFileLimits
  #waiting: string[] = []
  #waitingBytes = 0
  readonly #writing: DelayedRun
  #handle: FileHandle | undefined
  #isEnding = false

  constructor(options: RotatedFileOptions) {
    this.#options = options
    this.#limits = { ...rotatedFileLimits, ...options.limits }
    this.#writing = new DelayedRun(this.#limits.delayMs, () => this.#run())
  }

  /** The line with its line break. */
  add(line: string): void {
    const bytes = Buffer.byteLength(line)
    if (this.#isEnding || this.#waitingBytes + bytes > this.#limits.waitingBytesMax) {
      this.#options.onDropped(1, 'the disk is too slow')
      return
    }
    this.#waiting.push(line)
    this.#waitingBytes += bytes
    this.#writing.request()
  }

  /** Writes the remaining lines, and drops those that are not written within the time. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.#writing.finish(this.#limits.endMs)
    const left = this.#waiting.splice(0).length
    if (left > 0) this.#options.onDropped(left, 'the process has stopped')
    await waitAtMost(this.#close(), this.#limits.endMs)
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting.splice(0)
      this.#waitingBytes = 0
      try {
        await this.#append(lines.join(''))
      } catch (error) {
        this.#options.onDropped(lines.length, error)
        await this.#close()
      }
    }
  }

  async #append(text: string): Promise<void> {
    const handle = await this.#current()
    const bytes = Buffer.from((await this.#endsWhole(handle)) ? text : `\n${text}`)
    const { bytesWritten } = await handle.write(bytes)
    // The rest would follow what other processes have written meanwhile.
    if (bytesWritten < bytes.length) throw new Error('the disk took only a part')
  }

  /**
   * Whether the next line begins a line of the file. The beginning of a line, which a full disk or a process that died
   * has left, is removed, by one process at a time.
   */
  async #endsWhole(handle: FileHandle): Promise<boolean> {
    for (let tries = 0; ; tries += 1) {
      const excess = await unfinishedBytes(handle)
      if (excess === 0) return true
      if (excess === undefined) return false
      if (await this.#takeMark(this.#mark)) {
        try {
          await cutUnfinished(handle)
        } finally {
          await rm(this.#mark, { force: true })
        }
      } else if (tries === this.#limits.repairTriesMax)
        throw new Error('its last line is not whole')
      else await sleep(this.#limits.delayMs)
    }
  }

  get #mark(): string {
    return `${this.#options.path}.rotating`
  }

  /** The file of this path, opened again if it is another one by now, and renamed if it has become too large. */
  async #current(): Promise<FileHandle> {
    if ((await this.#size()) >= this.#options.bytesMax) await this.#rotate()
    const { path } = this.#options
    const there = await stat(path).catch(() => undefined)
    const own = await this.#handle?.stat()
    if (this.#handle && there?.ino === own?.ino && there?.dev === own?.dev) return this.#handle
    await this.#close()
    await mkdir(dirname(path), { recursive: true })
    this.#handle = await open(path, 'a+', 0o640)
    return this.#handle
  }

  /** 0 if it is no file, or does not exist. */
  async #size(): Promise<number> {
    const there = await stat(this.#options.path).catch(() => undefined)
    return there?.isFile() ? there.size : 0
  }

  async #rotate(): Promise<void> {
    const { path, bytesMax, filesMax } = this.#options
    if (!(await this.#takeMark(this.#mark))) return
    try {
      // Another process may have renamed the file since.
      if ((await this.#size()) < bytesMax) return
      let count = 1
      while (count < filesMax && (await exists(`${path}.${count}`))) count += 1
      for (; count > 1; count -= 1) await rename(`${path}.${count - 1}`, `${path}.${count}`)
      await rename(path, `${path}.1`)
    } finally {
      await rm(this.#mark, { force: true })
    }
  }

  /** Whether this process is the one that renames or repairs. */
  async #takeMark(mark: string): Promise<boolean> {
    try {
      await (await open(mark, 'wx', 0o640)).close()
      return true
    } catch (error) {
      const found = await stat(mark).catch(() => undefined)
      if (!found) throw error
      const isOld = this.#options.nowMs() - found.mtimeMs > this.#limits.markMs
      if (isOld) await rm(mark, { force: true })
      return false
    }
  }

  async #close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close().catch(() => undefined)
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
