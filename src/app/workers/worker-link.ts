import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../core/fault.ts'
import type { MetricFamily } from '../../telemetry/metric-family.ts'
import { countSignals, type StopSignals } from '../stop/stop-signals.ts'
import { isMessage, type StopOrder, type ToSupervisor } from './messages.ts'
import type { WorkerRole } from './worker-role.ts'

/** How often a worker checks whether it is still ready. */
const stateEveryMs = 200
/** Longer than the supervisor waits for a worker that does not answer. */
const metricsMs = 5_000

/** The worker's end of the channel to its supervisor. */
export interface WorkerLink {
  readonly role: WorkerRole
  readonly signals: StopSignals<StopOrder>
  /** Why the workers together are not ready; undefined when they are. */
  groupProblem(): string | undefined
  /** This process serves now. The supervisor prints the banner, and gets every change of `problem`. */
  serving(banner: string, problem: () => string | undefined): void
  /** Lets the supervisor read the metrics of this process. */
  shareMetrics(read: () => readonly MetricFamily[]): void
  /** The metrics of all workers together. */
  collectMetrics(): Promise<string>
  /** Leaves the last counts with the supervisor. */
  leave(): Promise<void>
}

/** The parts of the process that the link needs. */
export interface SupervisorChannel {
  send(message: ToSupervisor, onSent?: () => void): void
  onMessage(listener: (message: unknown) => void): void
  onClosed(listener: () => void): void
  /** The service manager of the machine may signal all processes at once. */
  onTerminate(listener: () => void): void
  exit(): void
}

export function openWorkerLink(role: WorkerRole, channel: SupervisorChannel): WorkerLink {
  let group: string | undefined = 'starting'
  let families = (): readonly MetricFamily[] => []
  let waiting: ((text: string) => void)[] = []
  let order: (order: StopOrder) => void = () => undefined
  const signals = countSignals<StopOrder>((onOrder) => {
    order = onOrder
    channel.onTerminate(() => onOrder('SIGTERM'))
  })
  const sendFamilies = (onSent?: () => void) =>
    channel.send({ kind: 'families', families: families() }, onSent)
  channel.onMessage((message) => {
    if (!isMessage(message)) return
    if (message.kind === 'stop') order(message.order)
    if (message.kind === 'group') group = message.problem ?? undefined
    if (message.kind === 'read-metrics') sendFamilies()
    if (message.kind === 'metrics') {
      const asked = waiting
      waiting = []
      for (const resolve of asked) resolve(message.text)
    }
  })
  // Like kill -9 of a single process: the journal has everything that the next start needs.
  channel.onClosed(() => channel.exit())
  return {
    role,
    signals,
    groupProblem: () => group,
    serving: (banner, problem) => {
      channel.send({ kind: 'serving', banner })
      watchState(channel, problem)
    },
    shareMetrics: (read) => {
      families = read
    },
    collectMetrics: async () => {
      const answer = new Promise<string>((resolve) => {
        waiting.push(resolve)
      })
      if (waiting.length === 1) channel.send({ kind: 'collect-metrics' })
      const text = await Promise.race([answer, sleep(metricsMs, undefined, { ref: false })])
      if (text !== undefined) return text
      waiting = []
      throw new Fault('unavailable', 'The workers did not report their metrics in time. Try again.')
    },
    leave: () =>
      new Promise((resolve) => {
        sendFamilies(resolve)
      }),
  }
}

function watchState(channel: SupervisorChannel, problem: () => string | undefined): void {
  let sentProblem: string | undefined
  const timer = setInterval(() => {
    const now = problem()
    if (now === sentProblem) return
    sentProblem = now
    channel.send({ kind: 'state', problem: now ?? null })
  }, stateEveryMs)
  timer.unref()
}
