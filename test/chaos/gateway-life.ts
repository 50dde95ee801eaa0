import { afterAll } from 'bun:test'
import { patience } from '../support/patience.ts'
import { removeWorkspacesAfterwards, type Workspace } from '../support/process/workspace.ts'
import { shortLived } from '../support/short-lived.ts'
import { builtGateway, removeBuiltGateway } from './built-gateway.ts'

/** One process of a gateway, from its start to its end. */
export interface GatewayLife {
  /** Resolves with the URL when the process serves, or with undefined when it died before. */
  readonly ready: Promise<string | undefined>
  readonly exited: Promise<number>
  /** Whether the process ended by SIGKILL, sent by the test or at a system call. */
  isKilled(): boolean
  stderr(): string
  signal(name: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
}

/** The process is killed when one of its threads makes this call for the n-th time. */
export interface DeadlyCall {
  readonly strace: string
  readonly name: string
  readonly count: number
}

const running = new Set<{ kill: (signal: 'SIGKILL') => void; exited: Promise<number> }>()

/** Call once in each test file that starts lives: it ends all of them after the tests. */
export function endLivesAfterwards(): void {
  afterAll(async () => {
    const left = [...running]
    for (const child of left) child.kill('SIGKILL')
    await Promise.all(left.map(({ exited }) => exited))
    await removeBuiltGateway()
  })
  removeWorkspacesAfterwards()
}

export interface LifeOptions {
  readonly deadly?: DeadlyCall | undefined
  /** On a slow or busy machine the process waits longer for money: see `slow-time.ts`. */
  readonly isPatient?: true
}

export async function startLife(
  { folder, env }: Workspace,
  flags: readonly string[],
  { deadly, isPatient }: LifeOptions = {},
): Promise<GatewayLife> {
  const command = [await builtGateway(), 'serve', '--log-level', 'warn', ...flags]
  const child = Bun.spawn([...(deadly ? tracer(deadly) : []), ...command], {
    cwd: folder,
    env: {
      ...env,
      ...shortLived,
      ...(isPatient ? { TEST_SLOW_MONEY: String(patience(1)) } : {}),
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  running.add(child)
  child.exited.finally(() => running.delete(child)).catch(() => undefined)
  let stderr = ''
  void follow(child.stderr, (text) => {
    stderr += text
  })
  return {
    ready: readAddress(child.stdout),
    exited: child.exited,
    isKilled: () => child.signalCode === 'SIGKILL',
    stderr: () => stderr,
    signal: (name) => child.kill(name),
  }
}

/** The tracer is not the parent of the process, so signals and waits of the test concern the gateway itself. */
export function tracer({ strace, name, count }: DeadlyCall): string[] {
  const inject = `inject=${name}:signal=KILL:when=${count}`
  return [strace, '-D', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${name}`, '-e', inject]
}

async function readAddress(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  let text = ''
  follow(stream, (piece) => {
    text += piece
    if (text.includes('Ctrl-C stops.')) resolve(/ready at +(http:\S+)/.exec(text)?.[1])
  }).then(
    () => resolve(undefined),
    () => resolve(undefined),
  )
  return promise
}

async function follow(
  stream: ReadableStream<Uint8Array>,
  take: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  for await (const bytes of stream) take(decoder.decode(bytes, { stream: true }))
}
