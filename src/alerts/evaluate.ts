import { withTimeout } from '../core/time/wait-at-most.ts'
import { claimTurn } from '../store/changes/facts.ts'
import { write } from '../store/changes/write.ts'
import { type AlertSource, crossingsMax, nameOf, type OmitRow } from './alert-source.ts'
import { alertSources } from './alert-sources.ts'
import { listAlerts, type StoredAlert } from './alert-store.ts'
import { deleteCrossings, findCrossed } from './crossing-rows.ts'
import type { AlertKind } from './definition/alert.ts'
import { type Check, type CheckReport, type ReportDeps, reportAll } from './report-crossings.ts'

export const evaluationLimits = {
  /** One replica evaluates the alerts this often. */
  everyMs: 60_000,
  alertsAPage: 200,
  /** One check: the conditions of one kind for one alert. A longer one is abandoned, and the next evaluation repeats it. */
  checkMs: 20_000,
} as const

const turnName = 'alerts-looked-at'

export interface EvaluationDeps extends ReportDeps {
  readonly sources?: readonly AlertSource[]
  /** Limits the time of a check. Tests end it by something else than the clock. */
  readonly within?: typeof withTimeout
}

export interface EvaluationReport {
  /** New crossings, by kind. */
  readonly crossed: readonly AlertKind[]
  /** Messages that the outbox had no room for. */
  readonly dropped: number
  readonly failed: readonly FailedCheck[]
}

/** A check that says nothing about its conditions. It delays no other check. */
export interface FailedCheck {
  /** Null for what this replica sees itself. */
  readonly alertId: string | null
  readonly kind: AlertKind
  readonly error: unknown
}

/**
 * Evaluates all alerts, unless another replica has done so less than a minute ago. New conditions get
 * their rows and their messages in one transaction, so a crossing is reported once, whatever happens.
 */
export async function evaluateInTurn(deps: EvaluationDeps): Promise<EvaluationReport | undefined> {
  const { engine, nowMs } = deps
  // A little less than the interval, because replicas do not wake at the same moment.
  const isOurs = await claimTurn(engine.db, turnName, nowMs, evaluationLimits.everyMs * 0.9)
  return isOurs ? evaluateAlerts(deps) : undefined
}

export async function evaluateAlerts(deps: EvaluationDeps): Promise<EvaluationReport> {
  const { engine } = deps
  const found = { crossed: [] as AlertKind[], dropped: 0, failed: [] as FailedCheck[] }
  for (let after = ''; ; ) {
    const rowsMax = evaluationLimits.alertsAPage
    const alerts = await listAlerts(engine.db, { accountIds: undefined, after, rowsMax })
    for (const alert of alerts) {
      for (const source of deps.sources ?? alertSources) {
        const { crossed, dropped, errors } = await evaluateOne(deps, alert, source)
        found.crossed.push(...Array.from({ length: crossed }, () => source.kind))
        found.dropped += dropped
        for (const error of errors)
          found.failed.push({ alertId: alert.id, kind: source.kind, error })
      }
    }
    const last = alerts.at(-1)
    if (!last || alerts.length < rowsMax) return found
    after = last.id
  }
}

/** Never fails: one alert, or one row of a source, must not silence the others. */
async function evaluateOne(
  deps: EvaluationDeps,
  alert: StoredAlert,
  source: AlertSource,
): Promise<CheckReport> {
  const { within = withTimeout } = deps
  const { checkMs } = evaluationLimits
  const check: Check = { alert, source, isLate: false }
  try {
    return await within(runCheck(deps, check), checkMs, `no result within ${checkMs} ms`)
  } catch (error) {
    check.isLate = true
    return { crossed: 0, dropped: 0, errors: [error] }
  }
}

async function runCheck(deps: EvaluationDeps, check: Check): Promise<CheckReport> {
  const { engine, nowMs } = deps
  const { alert, source } = check
  const isWanted = alert.isEnabled && alert.kinds.includes(source.kind)
  const errors: unknown[] = []
  const omitted: ((name: string) => boolean)[] = []
  const omit: OmitRow = (error, mayHold) => {
    errors.push(error)
    omitted.push(mayHold)
  }
  const found = isWanted ? await source.find(engine.db, alert, nowMs, omit) : []
  const crossed = await findCrossed(engine.db, alert.id, source)
  const wanted = new Set(found.map(nameOf))
  // A condition that is missing in an incomplete list may still hold.
  const isComplete = found.length < crossingsMax
  const isOver = (name: string) => !wanted.has(name) && !omitted.some((mayHold) => mayHold(name))
  const over = isComplete ? [...crossed].filter(isOver) : []
  if (over.length > 0 && !check.isLate)
    await write(engine, nowMs, ({ tx }) => deleteCrossings(tx, alert.id, source, over))
  const fresh = found.filter((each) => each.isSilent !== true && !crossed.has(nameOf(each)))
  const report = await reportAll(deps, check, fresh)
  return { ...report, errors: [...errors, ...report.errors] }
}
