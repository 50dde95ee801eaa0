import { closeSync, openSync } from 'node:fs'
import type { Subprocess } from 'bun'
import { processTree } from './process-figures.ts'

const running = new Set<Subprocess>()
const stopGraceMs = 2000

export interface Launch {
  readonly command: readonly string[]
  // The whole environment: the user's own settings and credentials are not passed on.
  readonly env: Readonly<Record<string, string>>
  readonly logFile: string
}

// Starts a program with its output in a file, so that a full pipe cannot slow it down.
export function startChild(launch: Launch): Subprocess {
  const log = openSync(launch.logFile, 'a')
  const child = Bun.spawn([...launch.command], {
    env: launch.env,
    stdin: 'ignore',
    stdout: log,
    stderr: log,
  })
  closeSync(log)
  return remember(child)
}

// Starts a program whose standard output the bench reads.
export function startTalkingChild(
  command: readonly string[],
): Subprocess<'ignore', 'pipe', 'inherit'> {
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  remember(child)
  return child
}

export async function stopChild(child: Subprocess): Promise<void> {
  const tree = processTree(child.pid)
  child.kill('SIGTERM')
  await Promise.race([child.exited, Bun.sleep(stopGraceMs)])
  if (child.exitCode === null && child.signalCode === null) killTree(tree)
  await child.exited
}

export async function stopAllChildren(): Promise<void> {
  await Promise.all([...running].map(stopChild))
}

function remember<Child extends Subprocess>(child: Child): Child {
  running.add(child)
  void child.exited.then(() => running.delete(child))
  return child
}

function killTree(ids: readonly number[]): void {
  for (const id of ids) {
    try {
      process.kill(id, 'SIGKILL')
    } catch {
      // The process ended between the check and the signal.
    }
  }
}
