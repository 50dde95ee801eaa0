import { existsSync } from 'node:fs'
import { missingPart } from '../support/missing-part.ts'

/**
 * The path of strace, which kills a process at a chosen system call. Without strace the tests called `name` are
 * reported as missing.
 */
export function stracePath(name: string): string | undefined {
  const path = process.env['TEST_STRACE'] ?? '/usr/bin/strace'
  if (existsSync(path)) return path
  missingPart(name, process.env['TEST_STRACE_MISSING'] ?? 'no strace; set TEST_STRACE')
  return undefined
}
