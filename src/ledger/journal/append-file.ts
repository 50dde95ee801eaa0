import { closeSync, fdatasync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

const syncData = promisify(fdatasync)

/** A new file that is only appended to. */
export interface AppendFile {
  /** Appends some or all bytes from `start` on, and returns the number of bytes written. */
  append(bytes: Uint8Array, start: number): number
  /** Position of the next byte. */
  position(): number
  /** Removes the bytes after a position; needs no free disk space. */
  cutBack(position: number): void
  /** Resolves when all appended bytes are on the disk. */
  sync(): Promise<void>
  close(): void
  remove(): void
}

export type OpenAppendFile = (path: string) => AppendFile

export const openAppendFile: OpenAppendFile = (path) => openFile(path, undefined)

/** Disk space that is reserved at a time. */
const reservedBytes = 256 * 1024

/**
 * For a file that is synced after every write. Each sync of a growing file also writes the file's length, which takes
 * longer than the data. The file therefore grows in large steps, filled with zeros that later lines replace. Readers do
 * not take remaining zeros for a line.
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
      // After a loss of power the data can be found only if the directory entry is on the disk as well.
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
