import {
  type EvaluationReport,
  evaluateInTurn,
  evaluationLimits,
  type FailedCheck,
} from '../../alerts/evaluate.ts'
import { type LocalCondition, putLocalConditions } from '../../alerts/local-conditions.ts'
import { systemRandom } from '../../core/id.ts'
import { withTimeout } from '../../core/time/wait-at-most.ts'
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
  /** As in `EvaluationDeps`. */
  readonly publicUrl: string | undefined
  /** The first evaluation after the start; sooner in tests. */
  readonly firstAfterMs?: number
  /** Conditions that only this process can observe. */
  localConditions(): Promise<readonly LocalCondition[]>
}

const firstAfterMs = 10_000
/** The look of this process at its own upstreams. */
const localMs = 20_000

interface LocalDeps
  extends Pick<WatchAlertsDeps, 'engine' | 'vault' | 'replica'>,
    Partial<Pick<WatchAlertsDeps, 'publicUrl'>> {
  readonly localConditions: WatchAlertsDeps['localConditions']
  /** As in `EvaluationDeps`. */
  readonly within?: typeof withTimeout
}

/** What a process keeps between two checks. */
interface Looks {
  /** Its first look, by the clock of the database. */
  sinceMs?: number
}

/**
 * Stores what this process observes, and evaluates the alerts if it is its turn. By the clock of the database: with
 * clocks of their own, replicas would disagree about which conditions are over, and report them again.
 */
export async function checkAlerts(
  deps: LocalDeps,
  looks: Looks = {},
): Promise<EvaluationReport | undefined> {
  const { engine, vault, publicUrl } = deps
  const nowMs = await readDatabaseMs(engine)
  // The clock may have been set back.
  looks.sinceMs = Math.min(looks.sinceMs ?? nowMs, nowMs)
  const failed = await storeLocal(deps, nowMs, looks.sinceMs)
  const report = await evaluateInTurn({ engine, vault, random: systemRandom, nowMs, publicUrl })
  if (!failed) return report
  const { crossed = [], dropped = 0, failed: others = [] } = report ?? {}
  return { crossed, dropped, failed: [failed, ...others] }
}

/** What other replicas see, and all other kinds, are checked even if this fails. */
async function storeLocal(
  deps: LocalDeps,
  nowMs: number,
  sinceMs: number,
): Promise<FailedCheck | undefined> {
  const { engine, replica, localConditions, within = withTimeout } = deps
  try {
    const seen = await within(localConditions(), localMs, `no result within ${localMs} ms`)
    await putLocalConditions(engine, replica, seen, nowMs, sinceMs)
    return undefined
  } catch (error) {
    return { alertId: null, kind: 'upstream_down', error }
  }
}

interface FailedChecks extends FailedCheck {
  count: number
}

/** Many checks often fail for one reason: one entry for each kind and reason. */
function groupFailed(failed: readonly FailedCheck[]): FailedChecks[] {
  const groups = new Map<string, FailedChecks>()
  for (const each of failed) {
    const name = `${each.kind} ${String(each.error)}`
    const group = groups.get(name)
    if (group) group.count += 1
    else groups.set(name, { ...each, count: 1 })
  }
  return [...groups.values()]
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
  const failures = metrics.counter(
    'tollgate_alert_checks_failed_total',
    'Checks of an alert that failed or took too long.',
    ['kind'],
  )
  const looks: Looks = {}
  const evaluate = async (): Promise<void> => {
    try {
      const report = await checkAlerts({ ...deps, engine }, looks)
      for (const [kind, found] of Map.groupBy(report?.crossed ?? [], (each) => each)) {
        crossings.add([kind], found.length)
        log.info('alert', { kind, conditions: found.length })
      }
      for (const { kind, alertId: alert, error, count: checks } of groupFailed(
        report?.failed ?? [],
      )) {
        failures.add([kind], checks)
        log.warn('alert_not_checked', { kind, alert, checks, why: String(error) })
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
  plan(deps.firstAfterMs ?? firstAfterMs)
  return {
    stop: async () => {
      clearTimeout(timer)
      timer = undefined
      await running
    },
  }
}
