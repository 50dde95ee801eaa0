import { deliveryText } from '../core/delivery-problem.ts'
import type { RandomBytes } from '../core/id.ts'
import { enqueue, noteSent } from '../outbox/outbox-store.ts'
import { claimTurn } from '../store/changes/facts.ts'
import { type Writing, write } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { type AlertSource, type Crossing, crossingsMax } from './alert-source.ts'
import { alertSources } from './alert-sources.ts'
import { listAlerts, readAlert, type StoredAlert } from './alert-store.ts'
import { compose } from './compose.ts'
import type { AlertKind } from './definition/alert.ts'

export const evaluationLimits = {
  /** One replica evaluates the alerts this often. */
  everyMs: 60_000,
  /** New crossings of one alert and kind in one evaluation; the next one reports the rest. */
  newMax: 20,
  alertsAPage: 200,
} as const

const turnName = 'alerts-looked-at'

export interface EvaluationDeps {
  readonly engine: Engine
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: number
  readonly sources?: readonly AlertSource[]
}

export interface EvaluationReport {
  /** New crossings, by kind. */
  readonly crossed: readonly AlertKind[]
  /** Messages that the outbox had no room for. */
  readonly dropped: number
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
  const crossed: AlertKind[] = []
  let dropped = 0
  for (let after = ''; ; ) {
    const rowsMax = evaluationLimits.alertsAPage
    const alerts = await listAlerts(engine.db, { accountIds: undefined, after, rowsMax })
    for (const alert of alerts) {
      for (const source of deps.sources ?? alertSources) {
        const report = await evaluateOne(deps, alert, source)
        crossed.push(...Array.from({ length: report.crossed }, () => source.kind))
        dropped += report.dropped
      }
    }
    const last = alerts.at(-1)
    if (!last || alerts.length < rowsMax) return { crossed, dropped }
    after = last.id
  }
}

const nothing = { crossed: 0, dropped: 0 }

async function evaluateOne(deps: EvaluationDeps, alert: StoredAlert, source: AlertSource) {
  const { engine, nowMs } = deps
  const isWanted = alert.isEnabled && alert.kinds.includes(source.kind)
  const found = isWanted ? await source.find(engine.db, alert, nowMs) : []
  const crossed = await findCrossed(engine.db, alert.id, source.kind)
  const wanted = new Set(found.map(nameOf))
  // A condition that is missing in an incomplete list may still hold.
  const isComplete = found.length < crossingsMax
  const over = isComplete ? [...crossed].filter((name) => !wanted.has(name)) : []
  const fresh = found
    .filter((crossing) => !crossed.has(nameOf(crossing)))
    .slice(0, evaluationLimits.newMax)
  if (over.length === 0 && fresh.length === 0) return nothing
  return write(engine, nowMs, async (writing) => {
    // The alert may have been deleted or disabled since it was read.
    const current = await readAlert(writing.tx, alert.id)
    if (!current) return nothing
    for (const name of over) await rearm(writing, alert.id, source.kind, name)
    return current.isEnabled ? report(deps, writing, { alert: current, source, fresh }) : nothing
  })
}

async function report(
  { vault, random, nowMs }: EvaluationDeps,
  writing: Writing,
  { alert, source, fresh }: { alert: StoredAlert; source: AlertSource; fresh: readonly Crossing[] },
) {
  let crossed = 0
  let dropped = 0
  for (const crossing of fresh) {
    if (!(await cross(writing, alert.id, source.kind, nameOf(crossing), nowMs))) continue
    crossed += 1
    const messages = await compose(writing.tx, alert, source.kind, crossing, { random, nowMs })
    if (messages.length === 0) await noteUnsent(writing, alert, source.kind, nowMs)
    for (const message of messages)
      if (!(await enqueue(writing, { vault, nowMs }, message))) dropped += 1
  }
  return { crossed, dropped }
}

/** All recipients have left the account: the list of messages must show that nobody was told. */
async function noteUnsent({ tx }: Writing, alert: StoredAlert, kind: AlertKind, nowMs: number) {
  const { id: alertId, accountId, channel, emails } = alert
  const message = { purpose: kind, accountId, alertId, channel, target: emails[0] ?? '' }
  await noteSent(tx, message, { nowMs, error: deliveryText('no_recipient') })
}

function nameOf({ subject, name = subject }: Crossing): string {
  return name
}

/** The names of the conditions that were reported and are not over. */
async function findCrossed(
  db: Engine['db'],
  alertId: string,
  kind: AlertKind,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('alert_crossing')
    .select('subject')
    .where('alert_id', '=', alertId)
    .where('kind', '=', kind)
    .execute()
  return new Set(rows.map(({ subject }) => subject))
}

/** Returns false when the crossing was already reported. */
async function cross(
  { tx }: Writing,
  alertId: string,
  kind: AlertKind,
  name: string,
  nowMs: number,
): Promise<boolean> {
  const made = await tx
    .insertInto('alert_crossing')
    .values({ alert_id: alertId, kind, subject: name, since: nowMs })
    .onConflict((conflict) => conflict.columns(['alert_id', 'kind', 'subject']).doNothing())
    .executeTakeFirst()
  return (made.numInsertedOrUpdatedRows ?? 0n) > 0n
}

async function rearm(
  { tx }: Writing,
  alertId: string,
  kind: AlertKind,
  name: string,
): Promise<void> {
  await tx
    .deleteFrom('alert_crossing')
    .where('alert_id', '=', alertId)
    .where('kind', '=', kind)
    .where('subject', '=', name)
    .execute()
}
