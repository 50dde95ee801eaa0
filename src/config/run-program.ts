import { execFileSync } from 'node:child_process'
import { type Environment, secretBytesMax } from './secret-reader.ts'
import { ownPrefix } from './setting.ts'

/** How long a program may take to print a secret. */
const programMs = 10_000

/**
 * Runs a program without a shell, and without the gateway's own variables. Throws an Error whose message contains
 * nothing that the program printed.
 */
export function runProgram(words: readonly string[], env: Environment, cwd: string): string {
  const [program = '', ...args] = words
  const passed = Object.entries(env).filter(([name]) => !name.startsWith(ownPrefix))
  try {
    return execFileSync(program, args, {
      cwd,
      env: Object.fromEntries(passed),
      encoding: 'utf8',
      timeout: programMs,
      killSignal: 'SIGKILL',
      maxBuffer: secretBytesMax,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error })
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') return 'there is no such program'
  if (code === 'EACCES') return 'it may not be executed'
  if (code === 'ETIMEDOUT') return `it did not end within ${programMs / 1_000} s`
  if (code === 'ENOBUFS') return `it prints more than ${secretBytesMax} bytes`
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return typeof status === 'number' ? `it ended with code ${status}` : 'it failed'
}
