import { closeSync, fdatasync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

const syncData = promisify(fdatasync)

/** A new file that is only ever appended to. */
export interface AppendFile {
  /** Appends the bytes from `start` on, or some of them; says how many. */
  append(bytes: Uint8Array, start: number): number
  /** Where the next byte goes. */
  position(): number
  /** Takes back what was appended beyond a position; needs no room on the disk. */
  cutBack(position: number): void
  /** Resolves when all that was appended is on the disk. */
  sync(): Promise<void>
  close(): void
  remove(): void
}

export type OpenAppendFile = (path: string) => AppendFile

export const openAppendFile: OpenAppendFile = (path) => openFile(path, undefined)

/** What is taken of the disk ahead at a time. */
const reservedBytes = 256 * 1024

/**
 * The same for one that is synced after every write. A file that grows has its length written with each sync, which
 * takes longer than the bytes: so it grows by many at a time, by zeros that later lines replace. Nobody takes what is
 * left of them for a line.
 */
export const openReservingFile: OpenAppendFile = (path) =>
  openFile(path, new Uint8Array(reservedBytes))

function openFile(path: string, reserve: Uint8Array | undefined): AppendFile {
  const file = openSync(path, 'wx', 0o600)
  let isNamed = false
  let end = 0
  let reservedEnd = 0
  return {
    append: (bytes, start) => {
      const length = bytes.length - start
      while (reserve && reservedEnd < end + length) {
        reservedEnd += writeSync(file, reserve, 0, reserve.length, reservedEnd)
      }
      const written = writeSync(file, bytes, start, length, end)
      end += written
      return written
    },
    position: () => end,
    cutBack: (position) => {
      ftruncateSync(file, position)
      end = position
      reservedEnd = position
    },
    sync: async () => {
      await syncData(file)
      // What is on the disk can only be found again if the name of the file is there as well.
      if (!isNamed) await syncFolder(dirname(path))
      isNamed = true
    },
    close: () => closeSync(file),
    remove: () => rmSync(path, { force: true }),
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
