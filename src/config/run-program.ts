import { execFileSync, spawn } from 'node:child_process'
import { type Environment, secretBytesMax } from './secret-reader.ts'
import { ownPrefix } from './setting.ts'

/** How long a program may take to print a secret. */
const programMs = 10_000

/**
 * Runs a program without a shell, and without the gateway's own variables. Throws an Error whose message contains
 * nothing that the program printed.
 */
export function runProgram(command: readonly string[], env: Environment, cwd: string): string {
  const [program = '', ...args] = command
  try {
    return execFileSync(program, args, {
      cwd,
      env: passedOn(env),
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

/** The same while the gateway runs, without blocking it. Ends the program and its children when `signal` aborts. */
export function runProgramAsync(
  command: readonly string[],
  env: Environment,
  cwd: string,
  signal: AbortSignal,
): Promise<string> {
  const [program = '', ...args] = command
  return new Promise((resolve, reject) => {
    // In a process group of its own, so that its children end with it.
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    const child = spawn(program, args, {
      cwd,
      env: passedOn(env),
      stdio: [...stdio],
      detached: true,
    })
    const pieces: Buffer[] = []
    let bytes = 0
    const end = (reason: string | undefined): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      if (reason === undefined) {
        resolve(Buffer.concat(pieces).toString('utf8'))
        return
      }
      killGroup(child.pid)
      child.stdout?.destroy()
      reject(new Error(reason))
    }
    const stop = (): void => end('the gateway stops')
    const timer = setTimeout(() => end(tooLong), programMs)
    signal.addEventListener('abort', stop, { once: true })
    child.stdout?.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes > secretBytesMax) end(tooMuch)
      else pieces.push(piece)
    })
    child.once('error', (error) => end(reasonOf(error)))
    child.once('close', (status) => end(status === 0 ? undefined : reasonOf(status)))
  })
}

function killGroup(id: number | undefined): void {
  if (id === undefined) return
  try {
    process.kill(-id, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

function passedOn(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith(ownPrefix)))
}

const tooLong = `it did not end within ${programMs / 1_000} s`
const tooMuch = `it prints more than ${secretBytesMax} bytes`

/** From an error of the runtime, or from the exit code. */
function reasonOf(error: unknown): string {
  if (typeof error === 'number') return `it ended with code ${error}`
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') return 'there is no such program'
  if (code === 'EACCES') return 'it may not be executed'
  if (code === 'ETIMEDOUT') return tooLong
  if (code === 'ENOBUFS') return tooMuch
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return typeof status === 'number' ? `it ended with code ${status}` : 'it failed'
}
