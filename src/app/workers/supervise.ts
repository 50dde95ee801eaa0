import type { Config } from '../../config/config.ts'
import { newId } from '../../core/id.ts'
import { systemClock } from '../../core/time/clock.ts'
import { listen } from '../../http-in/listen.ts'
import { releaseMemory } from '../../http-in/release-memory.ts'
import { bufferedWriter } from '../../telemetry/buffered-writer.ts'
import { createLog } from '../../telemetry/log.ts'
import { makeJournalFolder } from '../node/make-journal-folder.ts'
import { claimName } from '../start/claim-name.ts'
import { replicaName } from '../start/replica-name.ts'
import { afterDrainMs } from '../stop/drain.ts'
import type { StopSignal } from '../stop/stop-signals.ts'
import { countWorkers } from './count-workers.ts'
import { type ProgramLine, startWorker } from './running-worker.ts'
import { WorkerGroup } from './worker-group.ts'

export interface SuperviseEnvironment {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly onSignal: (listener: (signal: StopSignal) => void) => void
  /** Whether a person started the gateway at a terminal. Then SIGHUP means that the terminal was closed. */
  readonly isTty: boolean
  readonly line: ProgramLine
}

/** Added to the time limits of all steps of a stop. A worker that needs longer is stuck. */
const marginMs = 5_000

/** Runs the gateway as several workers on one port until it is asked to stop. */
export async function supervise(
  config: Config,
  environment: SuperviseEnvironment,
): Promise<number> {
  const { stdout, stderr } = environment
  const log = createLog({
    level: config.logLevel,
    nowMs: systemClock.nowMs,
    write: bufferedWriter(stderr),
  })
  makeJournalFolder(config)
  const ports = await probePorts(config)
  const base = replicaName(config, ports.port) ?? newId('replica')
  const name = claimName(config.data, base)
  const workers = countWorkers(config.workers)
  const group = new WorkerGroup({
    workers,
    log,
    monotonicMs: systemClock.monotonicMs,
    stopMsMax: config.lameDuckMs + config.drainMs + afterDrainMs + marginMs,
    start: (number, greets, events) => {
      const role = { number, workers, replica: `${base}-${number}`, ...ports, greets }
      const worker = startWorker(role, environment.line, { stdout, stderr, ...events })
      log.info('worker_started', { worker: number, pid: worker.processId })
      return worker
    },
  })
  const stopped = followSignals(group, environment)
  try {
    const opened = await group.open()
    if ('code' in opened) {
      group.signalAll('SIGINT')
      await group.ended()
      return opened.code
    }
    stdout(opened.banner)
    releaseMemory()
    await Promise.race([stopped, group.broken])
    return (await group.ended()) ? 0 : 1
  } catch (error) {
    group.signalAll('SIGTERM')
    await group.ended()
    throw error
  } finally {
    name.release()
  }
}

/** Resolves at the first signal to stop. Workers do not get the signals of a terminal, so all are passed on. */
function followSignals(
  group: WorkerGroup,
  { onSignal, isTty }: SuperviseEnvironment,
): Promise<void> {
  return new Promise((resolve) => {
    onSignal((signal) => {
      if (signal === 'SIGHUP' && !isTty) return group.reload()
      group.signalAll(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM')
      resolve()
    })
  })
}

/**
 * Workers share their ports, so none of them would notice that another gateway has the same one. The ports are opened
 * once without sharing, and closed again; this also fixes a port that the system chooses.
 */
async function probePorts({ listen: main, metricsListen }: Config) {
  const opened = [listen(main, refuse)]
  try {
    if (metricsListen) opened.push(listen({ ...metricsListen, flag: '--metrics-listen' }, refuse))
    const [port = main.port, metricsPort] = opened.map((each) => each.port)
    return { port, metricsPort }
  } finally {
    await Promise.all(opened.map((each) => each.stop()))
  }
}

async function refuse(): Promise<Response> {
  return new Response('starting\n', { status: 503, headers: { 'retry-after': '1' } })
}
