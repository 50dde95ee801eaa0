import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAppendFile } from '../../../src/ledger/journal/append-file.ts'
import type { JournalOptions } from '../../../src/ledger/journal/file-journal.ts'
import { journalFiles } from '../../../src/ledger/journal/journal-files.ts'

/** A folder on a disk that can be full. */
export interface SmallDisk {
  readonly folder: string
  /** Whether every write in the folder fails when the disk is full, not only the journal's. */
  readonly isReal: boolean
  /** The options with which a journal in the folder must be opened. */
  readonly options: JournalOptions
  /** Uses up all free space. */
  fill(): void
  free(): void
  remove(): void
}

const noSpace = (): Error =>
  Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })

/** A real file system of a few megabytes if this user may mount one; otherwise a disk that only reports to be full. */
export function makeSmallDisk(): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-disk-'))
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=8m', 'tollgate', folder])
  return mounted.exitCode === 0 ? realDisk(folder) : pretendedDisk(folder)
}

function realDisk(folder: string): SmallDisk {
  const filler = join(folder, 'filler')
  return {
    folder,
    isReal: true,
    options: {},
    fill: () => {
      for (const bytes of [1024 * 1024, 4_096, 1]) {
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(bytes, 'x'), { flag: 'a' })
        } catch {
          // No more space for a block of this size.
        }
      }
    },
    free: () => rmSync(filler, { force: true }),
    remove: () => {
      Bun.spawnSync(['umount', '-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function pretendedDisk(folder: string): SmallDisk {
  let isFull = false
  const check = (): void => {
    if (isFull) throw noSpace()
  }
  return {
    folder,
    isReal: false,
    options: {
      openFile: (path) => {
        check()
        const file = openAppendFile(path)
        return {
          ...file,
          append: (bytes, start) => {
            check()
            return file.append(bytes, start)
          },
        }
      },
      files: {
        ...journalFiles,
        keep: async (...given) => {
          check()
          await journalFiles.keep(...given)
        },
      },
    },
    fill: () => {
      isFull = true
    },
    free: () => {
      isFull = false
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
