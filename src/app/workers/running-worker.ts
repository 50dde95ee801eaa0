import { type ChildProcess, spawn } from 'node:child_process'
import type { MetricFamily } from '../../telemetry/metric-family.ts'
import { isMessage, type StopOrder, type ToWorker } from './messages.ts'
import { relayLines } from './relay-lines.ts'
import { type WorkerRole, workerCommand, writeRole } from './worker-role.ts'

/** A worker as its supervisor sees it. */
export interface RunningWorker {
  readonly role: WorkerRole
  readonly processId: number | undefined
  /** Resolves with the banner when the worker serves; undefined if it ended before. */
  readonly serving: Promise<string | undefined>
  /** Resolves with the exit code, or the name of the signal that ended the worker. */
  readonly exited: Promise<number | string>
  /** Why the worker is not ready; undefined when it is. */
  problem(): string | undefined
  /** The last metrics that the worker has reported. */
  families(): readonly MetricFamily[]
  /** Asks for the metrics; resolves when they have arrived, or the worker has ended. */
  readMetrics(): Promise<void>
  send(message: ToWorker): void
  stop(order: StopOrder): void
  kill(): void
}

export interface WorkerEvents {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  onState(): void
  onCollect(): void
}

/** The program and the arguments that started this process; a worker gets the same ones. */
export interface ProgramLine {
  readonly program: string
  readonly before: readonly string[]
  readonly flags: readonly string[]
}

export function startWorker(
  role: WorkerRole,
  { program, before, flags }: ProgramLine,
  events: WorkerEvents,
): RunningWorker {
  const line = [...before, workerCommand, writeRole(role), ...flags]
  const child = spawn(program, line, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const exited = watchExit(child, role, events)
  const serving = Promise.withResolvers<string | undefined>()
  let problem: string | undefined = 'starting'
  let families: readonly MetricFamily[] = []
  let reading = Promise.withResolvers<void>()
  child.on('message', (message: unknown) => {
    if (!isMessage(message)) return
    if (message.kind === 'serving') {
      problem = undefined
      serving.resolve(message.banner)
      events.onState()
    }
    if (message.kind === 'state') {
      problem = message.problem ?? undefined
      events.onState()
    }
    if (message.kind === 'families') {
      families = message.families
      reading.resolve()
    }
    if (message.kind === 'collect-metrics') events.onCollect()
  })
  const send = (message: ToWorker): void => {
    // A worker that has just ended gets no message; its end is reported separately.
    if (child.connected) child.send(message, () => undefined)
  }
  const gone = exited.then(() => {
    serving.resolve(undefined)
    reading.resolve()
  })
  return {
    role,
    processId: child.pid,
    serving: serving.promise,
    exited: gone.then(() => exited),
    problem: () => problem,
    families: () => families,
    readMetrics: () => {
      reading = Promise.withResolvers<void>()
      send({ kind: 'read-metrics' })
      return Promise.race([reading.promise, gone])
    },
    send,
    stop: (order) => send({ kind: 'stop', order }),
    kill: () => void child.kill('SIGKILL'),
  }
}

/** Waits for the last output too, which says why a worker ended. */
function watchExit(
  child: ChildProcess,
  { number }: WorkerRole,
  events: WorkerEvents,
): Promise<number | string> {
  const pairs = [
    [child.stdout, events.stdout],
    [child.stderr, events.stderr],
  ] as const
  for (const [stream, write] of pairs) {
    const relay = relayLines(number, write)
    stream?.on('data', (bytes: Uint8Array) => relay.add(bytes))
    stream?.on('close', () => relay.end())
  }
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? code ?? 1))
  })
}
