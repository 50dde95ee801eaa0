import { readAlert, type StoredAlert } from '../../../alerts/alert-store.ts'
import { findObstacle } from '../../../alerts/compose.ts'
import { outboxLimits } from '../../../outbox/message.ts'
import { type OutboxRow, readChannel } from '../../../outbox/outbox-store.ts'
import { findMessage, sendAgain } from '../../../outbox/send-again.ts'
import type { Engine } from '../../../store/engine.ts'
import { readDatabaseMs } from '../../../store/rows/database-now.ts'
import { change } from '../../changes/change.ts'
import type { ResendAnswer } from '../../contract.ts'
import { ApiRefusal, refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, Scope } from '../../routes/route.ts'
import { isVisible } from './change-alerts.ts'

/** Queues a message of an alert again that was given up. */
export async function resendMessage(
  call: CallOf<'POST /messages/{id}/resend'>,
): Promise<JsonAnswer<ResendAnswer>> {
  const { clockSql } = call.deps.engine
  return change(call, async (changing) => {
    const { tx } = changing
    const found = await needMessage(tx, call)
    const alert = found.alert_id === null ? undefined : await readAlert(tx, found.alert_id)
    const row = present(found, alert)
    await checkObstacle(tx, row)
    const result = await sendAgain(changing, row, await readDatabaseMs({ clockSql, db: tx }))
    if (typeof result === 'string')
      throw refuse('conflict', problems[result], { values: { max: outboxLimits.resendsMax } })
    const { purpose, channel, target, alert_id: alertId } = row
    const emails = channel === 'email' && { emails: [target] }
    const after = { name: alert?.name ?? null, channel, kinds: [purpose], ...emails }
    await changing.record({ action: 'alert.resent', subject: alertId ?? '', after })
    return { body: { id: String(result.seq) } }
  })
}

const problems = {
  not_failed: 'message_not_failed',
  in_flight: 'message_in_flight',
  not_stored: 'message_not_stored',
  full: 'outbox_full',
  often: 'message_resent_often',
} as const

/** A message outside the caller's accounts does not exist for the caller. */
async function needMessage(
  db: Engine['db'],
  { id, scope }: { readonly id: string; readonly scope: Scope },
): Promise<OutboxRow> {
  const row = await findMessage(db, id)
  if (row && isVisible(row.account_id, scope)) return row
  throw new ApiRefusal('not_found', 'This message does not exist.')
}

/** A webhook goes to the URL that its alert has now. */
function present(row: OutboxRow, alert: StoredAlert | undefined): OutboxRow {
  return row.channel === 'email' ? row : { ...row, target: alert?.urlHost ?? row.target }
}

/** Delivery would find the same obstacle, but only after the caller has gone. */
async function checkObstacle(db: Engine['db'], row: OutboxRow): Promise<void> {
  if (row.state !== 'failed' || row.payload_sealed === null) return
  const { account_id: accountId, alert_id: alertId, channel, target } = row
  const message = { accountId, alertId, channel: readChannel(channel), target }
  const obstacle = await findObstacle(db, message)
  if (obstacle === undefined) return
  const problem = obstacle === 'alert_deleted' ? 'message_not_stored' : obstacle
  throw refuse('conflict', problem, { values: { email: target } })
}
