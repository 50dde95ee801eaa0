import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockFile } from '../../../src/store/engine/file-lock.ts'

const folders: string[] = []
const holder = join(import.meta.dir, '..', '..', 'support', 'ledger', 'lock-holder.ts')

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-lock-'))
  folders.push(folder)
  return join(folder, 'life.lock')
}

function isFree(path: string): boolean {
  const lock = lockFile(path, false)
  lock?.release()
  return lock !== undefined
}

/** Another process that holds the lock. */
async function startHolder(path: string) {
  const child = Bun.spawn([process.execPath, holder, path], {
    stdout: 'pipe',
  })
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toContain('locked')
  return child
}

describe('a locked file', () => {
  test('is locked for all others, including this process, until it is released', () => {
    const path = newPath()
    const lock = lockFile(path, true)
    expect(isFree(path)).toBe(false)
    lock?.release()
    expect(isFree(path)).toBe(true)
  })

  test('stays locked under another name', () => {
    const path = newPath()
    const lock = lockFile(path, true)
    renameSync(path, `${path}.moved`)
    expect(isFree(`${path}.moved`)).toBe(false)
    lock?.release()
  })

  test('is created only on request', () => {
    expect(lockFile(newPath(), false)).toBeUndefined()
  })

  test('in a missing folder gives an error, not a lock of another process', () => {
    expect(() => lockFile(join(newPath(), 'deep', 'life.lock'), true)).toThrow('unable to open')
  })

  test('is free after its process was killed, but not while the process is stopped', async () => {
    const path = newPath()
    const started = await startHolder(path)
    expect(isFree(path)).toBe(false)
    process.kill(started.pid, 'SIGSTOP')
    expect(isFree(path)).toBe(false)
    process.kill(started.pid, 'SIGKILL')
    await started.exited
    expect(isFree(path)).toBe(true)
  })
})
