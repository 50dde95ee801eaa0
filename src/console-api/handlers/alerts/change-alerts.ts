import {
  alertsMax,
  changeAlert,
  createAlert,
  deleteAlert,
  isFull,
  listAlerts,
  membersAmong,
  putAlert,
  readAlert,
  type StoredAlert,
} from '../../../alerts/alert-store.ts'
import { type AlertValues, alertProblem } from '../../../alerts/definition/alert.ts'
import type { Engine } from '../../../store/engine.ts'
import { type ChangeContext, change } from '../../changes/change.ts'
import { checkNewId } from '../../changes/put-by-id.ts'
import { pageRows, writeCursor } from '../../contract/paging.ts'
import type { AlertRow, AlertsAnswer, DoneAnswer } from '../../contract.ts'
import { ApiRefusal, brokenRule, refuse, unfitField } from '../../refusal.ts'
import type { CallOf, JsonAnswer, Scope } from '../../routes/route.ts'
import { pageOf } from '../../rows/pages.ts'
import { describeAlerts } from './describe-alerts.ts'

/** Alerts that the caller may see. */
export async function listAlertRows(
  call: CallOf<'GET /alerts'>,
): Promise<JsonAnswer<AlertsAnswer>> {
  const { db } = call.deps.engine
  const { accountIds } = call.scope
  const { after, limit: rowsMax = pageRows.alerts } = call.query
  const found = await listAlerts(db, { accountIds, after: after?.[0], rowsMax: rowsMax + 1 })
  const { rows, next } = pageOf(found, rowsMax, ({ id }) => writeCursor(id))
  return { body: { alerts: await describeAlerts(db, rows), next } }
}

export async function readAlertRow(
  call: CallOf<'GET /alerts/{id}'>,
): Promise<JsonAnswer<AlertRow>> {
  const { db } = call.deps.engine
  return { body: await rowOf(db, await needAlert(db, call)) }
}

export async function createAlertRow(call: CallOf<'POST /alerts'>): Promise<JsonAnswer<AlertRow>> {
  const { vault, random } = call.deps
  const body = await call.body()
  return change(call, async (changing) => {
    const { tx, nowMs } = changing
    await checkAccount(changing, body.accountId, call.scope)
    await checkRules(tx, body)
    if (await isFull(tx, body.accountId)) {
      throw refuse('conflict', 'alerts_many', { values: { max: alertsMax } })
    }
    const id = await createAlert(changing, { vault, random, nowMs }, body)
    const row = await rowOf(tx, await needAlert(tx, { id, scope: call.scope }))
    await changing.record({ action: 'alert.created', subject: id, after: audited(row) })
    return { body: row }
  })
}

export async function editAlert(call: CallOf<'PATCH /alerts/{id}'>): Promise<JsonAnswer<AlertRow>> {
  const { id, deps } = call
  const body = await call.body()
  return change(call, async (changing) => {
    const { tx, nowMs } = changing
    const before = await needAlert(tx, call)
    const { url, secret, ...rest } = body
    await checkRules(tx, { ...before, ...rest, url, secret }, before)
    await changeAlert(changing, { vault: deps.vault, nowMs }, id, body)
    const after = await rowOf(tx, await needAlert(tx, call))
    await changing.record({
      action: 'alert.changed',
      subject: id,
      before: audited(await rowOf(tx, before)),
      after: { ...audited(after), ...changedSecrets(body) },
    })
    return { body: after }
  })
}

/** Creates or replaces the alert with this id. Its account and channel never change. */
export async function putAlertRow(call: CallOf<'PUT /alerts/{id}'>): Promise<JsonAnswer<AlertRow>> {
  const { id, scope } = call
  const { vault, random } = call.deps
  const body = await call.body()
  return change(call, async (changing) => {
    const { tx, nowMs } = changing
    await checkAccount(changing, body.accountId, scope)
    const stored = await readAlert(tx, id)
    const isOther =
      stored && (stored.accountId !== body.accountId || stored.channel !== body.channel)
    if (isOther) throw refuse('conflict', 'alert_taken', { values: { id }, field: 'id' })
    if (!stored) await checkRoom(tx, id, body.accountId)
    await checkRules(tx, body, stored)
    const before = stored && audited(await rowOf(tx, stored))
    const result = await putAlert(changing, { vault, random, nowMs }, id, body)
    const row = await rowOf(tx, await needAlert(tx, call))
    const after = { ...audited(row), ...(before && changedSecrets(body)) }
    const action = before ? 'alert.changed' : 'alert.created'
    if (result !== 'same') {
      await changing.record({ action, subject: id, ...(before && { before }), after })
    }
    return before ? { body: row } : { body: row, status: 201 }
  })
}

async function checkRoom(db: Engine['db'], id: string, accountId: string | null): Promise<void> {
  checkNewId(id)
  if (!(await isFull(db, accountId))) return
  throw refuse('conflict', 'alerts_many', { values: { max: alertsMax } })
}

function changedSecrets({ url, secret }: Partial<Pick<AlertValues, 'url' | 'secret'>>) {
  return {
    ...(url !== undefined && { isUrlChanged: true }),
    ...(secret !== undefined && { isSecretChanged: true }),
  }
}

export async function deleteAlertRow(
  call: CallOf<'DELETE /alerts/{id}'>,
): Promise<JsonAnswer<DoneAnswer>> {
  await change(call, async (changing) => {
    const alert = await needAlert(changing.tx, call)
    const before = audited(await rowOf(changing.tx, alert))
    await deleteAlert(changing, alert.id, changing.nowMs)
    await changing.record({ action: 'alert.deleted', subject: alert.id, before })
  })
  return { body: { isDone: true } }
}

/** An alert outside the caller's accounts does not exist for the caller. */
export async function needAlert(
  db: Engine['db'],
  { id, scope }: { readonly id: string; readonly scope: Scope },
): Promise<StoredAlert> {
  const alert = await readAlert(db, id)
  if (alert && isVisible(alert.accountId, scope)) return alert
  throw new ApiRefusal('not_found', 'This alert does not exist.')
}

/** Whether something of this account, or of the gateway, exists for the caller. */
export function isVisible(accountId: string | null, { accountIds }: Scope): boolean {
  if (accountIds === undefined) return true
  return accountId !== null && accountIds.includes(accountId)
}

async function checkAccount(
  { tx }: ChangeContext,
  accountId: string | null,
  scope: Scope,
): Promise<void> {
  if (!isVisible(accountId, scope)) throw unfitField('accountId', 'account_not_owned')
  if (accountId === null) return
  const row = await tx
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (!row) throw unfitField('accountId', 'account_unknown', { id: accountId })
}

async function checkRules(
  db: Engine['db'],
  values: Parameters<typeof alertProblem>[0] & Pick<AlertValues, 'emails'>,
  before?: StoredAlert,
): Promise<void> {
  const stored = before && { hasUrl: before.urlHost !== null, hasSecret: before.hasSecret }
  const found = alertProblem(values, stored)
  if (found) throw brokenRule(found.field, found.problem)
  const { accountId, emails } = values
  if (accountId === null) return
  // An owner must not use the gateway to write to strangers. A recipient who has left gets nothing, and is in the way of
  // no other change.
  const added = emails.filter((email) => before?.emails.includes(email) !== true)
  const members = await membersAmong(db, accountId, added)
  const stranger = added.find((email) => !members.has(email))
  if (stranger !== undefined)
    throw unfitField('emails', 'alert_email_stranger', { email: stranger })
}

async function rowOf(db: Engine['db'], alert: StoredAlert): Promise<AlertRow> {
  const [row] = await describeAlerts(db, [alert])
  if (!row) throw new Error('an alert that was read is described')
  return row
}

/** The settings, without figures. */
function audited({ id: _id, crossings: _crossings, createdAt: _at, ...settings }: AlertRow) {
  return settings
}
