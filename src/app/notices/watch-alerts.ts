import { type EvaluationReport, evaluateInTurn, evaluationLimits } from '../../alerts/evaluate.ts'
import { type LocalCondition, putLocalConditions } from '../../alerts/local-conditions.ts'
import { systemRandom } from '../../core/id.ts'
import { type Engine, forBackgroundWork } from '../../store/engine.ts'
import { readDatabaseMs } from '../../store/rows/database-now.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'

export interface WatchAlertsDeps {
  readonly engine: Engine
  readonly vault: Vault
  readonly log: Log
  readonly metrics: Metrics
  readonly replica: string
  /** Conditions that only this process can observe. */
  localConditions(): Promise<readonly LocalCondition[]>
}

const firstAfterMs = 10_000

/**
 * Stores what this process observes, and evaluates the alerts if it is its turn. By the clock of the database: with
 * clocks of their own, replicas would disagree about which conditions are over, and report them again.
 */
export async function checkAlerts({
  engine,
  vault,
  replica,
  localConditions,
}: Pick<WatchAlertsDeps, 'engine' | 'vault' | 'replica' | 'localConditions'>): Promise<
  EvaluationReport | undefined
> {
  const seen = await localConditions()
  const nowMs = await readDatabaseMs(engine)
  await putLocalConditions(engine, replica, seen, nowMs)
  return evaluateInTurn({ engine, vault, random: systemRandom, nowMs })
}

/** Evaluates the alerts every minute. The replicas take turns. */
export function watchAlerts(deps: WatchAlertsDeps): { stop(): Promise<void> } {
  const { log, metrics } = deps
  const engine = forBackgroundWork(deps.engine)
  const crossings = metrics.counter('tollgate_alerts_total', 'Conditions that alerts reported.', [
    'kind',
  ])
  const dropped = metrics.counter(
    'tollgate_messages_dropped_total',
    'Messages that were not queued because the outbox was full.',
    [],
  )
  const evaluate = async (): Promise<void> => {
    try {
      const report = await checkAlerts({ ...deps, engine })
      for (const kind of report?.crossed ?? []) {
        crossings.add([kind])
        log.info('alert', { kind })
      }
      if (report && report.dropped > 0) {
        dropped.add([], report.dropped)
        log.error('outbox_full', { messages: report.dropped, why: 'too many messages wait' })
      }
    } catch (error) {
      log.warn('alerts_not_checked', { why: String(error) })
    }
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> = Promise.resolve()
  const plan = (delayMs: number): void => {
    timer = setTimeout(() => {
      running = evaluate().then(() => {
        if (timer !== undefined) plan(evaluationLimits.everyMs)
      })
    }, delayMs)
  }
  plan(firstAfterMs)
  return {
    stop: async () => {
      clearTimeout(timer)
      timer = undefined
      await running
    },
  }
}
