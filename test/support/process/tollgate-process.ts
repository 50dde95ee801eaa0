import { afterAll } from 'bun:test'
import { join } from 'node:path'
import { runWords } from '../../unit/cli/run-line.ts'
import { eventually } from '../eventually.ts'
import { shortLived } from '../short-lived.ts'
import { removeWorkspacesAfterwards, type Workspace } from './workspace.ts'

const sourceMain = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts')

/** The command that runs the gateway built by the test runner; the sources if a test file is run by hand. */
export function gatewayCommand(args: readonly string[]): string[] {
  const built = process.env['TEST_GATEWAY']
  return built === undefined ? [process.execPath, sourceMain, ...args] : [built, ...args]
}

/** The same with the program that `npm start` runs. */
export function productCommand(args: readonly string[]): string[] {
  return [process.execPath, process.env['TEST_GATEWAY_MAIN'] ?? sourceMain, ...args]
}

/** A gateway in its own process, as an operator runs it. */
export interface TollgateProcess {
  readonly url: string
  readonly exited: Promise<number>
  stdout(): string
  stderr(): string
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): void
}

export interface FinishedProcess {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const running = new Set<{ kill: (signal: 'SIGKILL') => void; exited: Promise<number> }>()

/** Call once in each test file that starts processes: ends all of them and deletes their files. */
export function cleanUpAfterwards(): void {
  afterAll(async () => {
    const left = [...running]
    for (const child of left) child.kill('SIGKILL')
    await Promise.all(left.map(({ exited }) => exited))
  })
  removeWorkspacesAfterwards()
}

/** Starts `tollgate serve` and waits for its banner. */
export async function startTollgate(
  workspace: Workspace,
  flags: readonly string[] = [],
): Promise<TollgateProcess> {
  const child = spawn(workspace, ['serve', ...flags])
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  const url = await eventually('the gateway is ready', () => {
    if (child.exitCode !== null) throw new Error(`it stopped: ${stderr()}`)
    return stdout().includes('Ctrl-C stops.')
      ? /ready at +(http:\S+)/.exec(stdout())?.[1]
      : undefined
  })
  const { exited } = child
  return { url, exited, stdout, stderr, signal: (name) => child.kill(name) }
}

/** Runs a command in its own process, like an operator. */
export async function runTollgate(
  workspace: Workspace,
  args: readonly string[],
): Promise<FinishedProcess> {
  const child = spawn(workspace, args)
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, stdout, stderr }
}

/**
 * The same in the test's process, which takes a tenth of the time: for commands that a test only needs, or that another
 * test runs like an operator.
 */
export async function runHere(
  { folder, env }: Workspace,
  args: readonly string[],
): Promise<FinishedProcess> {
  const { code, out, err } = await runWords(folder, args, { env })
  return { code, stdout: out, stderr: err }
}

function spawn({ folder, env }: Workspace, args: readonly string[]) {
  const child = Bun.spawn(gatewayCommand(args), {
    cwd: folder,
    env: { ...env, ...shortLived },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  running.add(child)
  child.exited.finally(() => running.delete(child)).catch(() => undefined)
  return child
}

function collect(stream: ReadableStream<Uint8Array>): () => string {
  let text = ''
  const decoder = new TextDecoder()
  const read = async () => {
    for await (const bytes of stream) text += decoder.decode(bytes, { stream: true })
  }
  read().catch(() => undefined)
  return () => text
}
