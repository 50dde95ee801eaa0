import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FileLock, lockFile } from '../../store/engine/file-lock.ts'

/** Adding lines takes only a moment. */
const lockMsMax = 2_000
const lockEveryMs = 20

/**
 * Appends whole lines to a file that an operator has to look at, and syncs them to the disk. One process at a time: no
 * line may be added to a file that another process is about to replace.
 */
export async function keepLines(folder: string, name: string, lines: string): Promise<void> {
  const lock = await lockKept(folder, name)
  try {
    const file = await open(join(folder, name), 'a+', 0o600)
    try {
      const { size } = await file.stat()
      // A full disk may have cut an earlier line short.
      const isCut = size > 0 && !(await endsLine(file, size))
      await file.appendFile(isCut ? `\n${lines}` : lines)
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    lock.release()
  }
}

/** Locks a kept file for a change; fails when another process has the lock for too long. */
export async function lockKept(folder: string, name: string): Promise<FileLock> {
  for (let waitedMs = 0; ; waitedMs += lockEveryMs) {
    const lock = lockFile(join(folder, `${name}.lock`), true)
    if (lock) return lock
    if (waitedMs >= lockMsMax) throw new Error(`${name} is in use by another process`)
    await sleep(lockEveryMs)
  }
}

async function endsLine(file: Awaited<ReturnType<typeof open>>, size: number): Promise<boolean> {
  const { buffer } = await file.read(new Uint8Array(1), 0, 1, size - 1)
  return buffer[0] === 0x0a
}
