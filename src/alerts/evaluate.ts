import { deliveryText } from '../core/delivery-problem.ts'
import type { RandomBytes } from '../core/id.ts'
import { withTimeout } from '../core/time/wait-at-most.ts'
import { enqueue, noteSent } from '../outbox/outbox-store.ts'
import { claimTurn } from '../store/changes/facts.ts'
import { type Writing, write } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import {
  type AlertSource,
  type Crossing,
  crossingsMax,
  nameOf,
  type OmitRow,
  storedKinds,
} from './alert-source.ts'
import { alertSources } from './alert-sources.ts'
import { listAlerts, readAlert, type StoredAlert } from './alert-store.ts'
import { alertText } from './alert-texts.ts'
import { compose } from './compose.ts'
import type { AlertKind } from './definition/alert.ts'

export const evaluationLimits = {
  /** One replica evaluates the alerts this often. */
  everyMs: 60_000,
  /** New crossings of one alert and kind in one evaluation; the next one reports the rest. */
  newMax: 20,
  alertsAPage: 200,
  /** One check: the conditions of one kind for one alert. A longer one is abandoned, and the next evaluation repeats it. */
  checkMs: 20_000,
} as const

const turnName = 'alerts-looked-at'

export interface EvaluationDeps {
  readonly engine: Engine
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: number
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

/** One kind of one alert. */
interface Check {
  readonly alert: StoredAlert
  readonly source: AlertSource
  /** True once the time of the check is over. */
  isLate: boolean
}

/**
 * Evaluates all alerts, unless another replica has done so less than a minute ago. Each condition that is new gets its
 * row and its messages in one transaction, so a crossing is reported once, whatever happens.
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

interface CheckReport {
  readonly crossed: number
  readonly dropped: number
  readonly errors: readonly unknown[]
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
    await write(engine, nowMs, async (writing) => {
      for (const name of over) await rearm(writing, alert.id, source, name)
    })
  const fresh = found
    .filter((crossing) => crossing.isSilent !== true && !crossed.has(nameOf(crossing)))
    .slice(0, evaluationLimits.newMax)
  const report = await reportAll(deps, check, fresh)
  return { ...report, errors: [...errors, ...report.errors] }
}

/** Each condition has its own transaction, so that one that cannot be stored stops no other. */
async function reportAll(
  deps: EvaluationDeps,
  check: Check,
  fresh: readonly Crossing[],
): Promise<CheckReport> {
  const total = { crossed: 0, dropped: 0, errors: [] as unknown[] }
  for (const crossing of fresh) {
    if (check.isLate) break
    try {
      const { isCrossed, dropped } = await write(deps.engine, deps.nowMs, (writing) =>
        report(deps, writing, check, crossing),
      )
      if (isCrossed) total.crossed += 1
      total.dropped += dropped
    } catch (error) {
      total.errors.push(error)
    }
  }
  return total
}

const nothing = { isCrossed: false, dropped: 0 }

async function report(
  { vault, random, nowMs }: EvaluationDeps,
  writing: Writing,
  { alert: { id }, source }: Check,
  crossing: Crossing,
) {
  // The alert may have been deleted or disabled since it was read.
  const alert = await readAlert(writing.tx, id)
  if (!alert?.isEnabled) return nothing
  if (!(await cross(writing, id, source, nameOf(crossing), nowMs))) return nothing
  const messages = await compose(writing.tx, alert, source.kind, crossing, { random, nowMs })
  if (messages.length === 0) {
    const { subject: title } = alertText(source.kind, crossing, alert.language)
    await noteUnsent(writing, alert, { purpose: source.kind, title }, nowMs)
  }
  let dropped = 0
  for (const message of messages)
    if (!(await enqueue(writing, { vault, nowMs }, message))) dropped += 1
  return { isCrossed: true, dropped }
}

/** All recipients have left the account: the list of messages must show that nobody was told. */
async function noteUnsent(
  { tx }: Writing,
  alert: StoredAlert,
  about: { readonly purpose: AlertKind; readonly title: string },
  nowMs: number,
) {
  const { id: alertId, accountId, channel, emails } = alert
  const message = { ...about, accountId, alertId, channel, target: emails[0] ?? '' }
  await noteSent(tx, message, { nowMs, error: deliveryText('no_recipient') })
}

/** The names of the conditions that were reported and are not over. */
async function findCrossed(
  db: Engine['db'],
  alertId: string,
  source: AlertSource,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('alert_crossing')
    .select('subject')
    .where('alert_id', '=', alertId)
    .where('kind', 'in', storedKinds(source))
    .execute()
  return new Set(rows.map(({ subject }) => subject))
}

/** Returns false when the crossing was already reported. */
async function cross(
  { tx }: Writing,
  alertId: string,
  source: AlertSource,
  subject: string,
  nowMs: number,
): Promise<boolean> {
  const kinds = storedKinds(source)
  const known = await tx
    .selectFrom('alert_crossing')
    .select('subject')
    .where('alert_id', '=', alertId)
    .where('kind', 'in', kinds)
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (known) return false
  await tx
    .insertInto('alert_crossing')
    .values(kinds.map((kind) => ({ alert_id: alertId, kind, subject, since: nowMs })))
    .execute()
  return true
}

async function rearm(
  { tx }: Writing,
  alertId: string,
  source: AlertSource,
  name: string,
): Promise<void> {
  await tx
    .deleteFrom('alert_crossing')
    .where('alert_id', '=', alertId)
    .where('kind', 'in', storedKinds(source))
    .where('subject', '=', name)
    .execute()
}
