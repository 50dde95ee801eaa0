import type { Session } from '../../../accounts/session-store.ts'
import { type ListedMessage, listMessages, readChannel } from '../../../outbox/outbox-store.ts'
import { isResendable } from '../../../outbox/send-again.ts'
import { pageRows, writeCursor } from '../../contract/paging.ts'
import type { MessageRow, MessagesAnswer } from '../../contract.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { pageOf } from '../../rows/pages.ts'
import { shownProblem } from './shown-problem.ts'

/** Messages of the caller's accounts, newest first; for an administrator, all. */
export async function listMessageRows(
  call: CallOf<'GET /messages'>,
): Promise<JsonAnswer<MessagesAnswer>> {
  const { before, state, limit: rowsMax = pageRows.messages } = call.query
  const found = await listMessages(call.deps.engine.db, {
    accountIds: call.scope.accountIds,
    state,
    before: before?.[0],
    rowsMax: rowsMax + 1,
  })
  const { rows, next } = pageOf(found, rowsMax, ({ seq }) => writeCursor(seq))
  return { body: { messages: rows.map((row) => messageOf(row, call.session)), next } }
}

function messageOf(row: ListedMessage, caller: Session): MessageRow {
  const isWaiting = row.state === 'waiting'
  const channel = readChannel(row.channel)
  return {
    id: String(row.seq),
    purpose: row.purpose,
    accountId: row.account_id,
    alertId: row.alert_id,
    alertName: row.alert_name,
    title: row.title,
    channel,
    target: row.target,
    state: isWaiting ? 'waiting' : row.state === 'sent' ? 'sent' : 'failed',
    attempts: row.attempts,
    nextAt: isWaiting ? row.next_at : null,
    lastError: shownProblem(row.last_error, channel, caller),
    createdAt: row.created_at,
    endedAt: row.ended_at,
    // A deleted alert has no name.
    isResendable: isResendable(row) && row.alert_name !== null,
    resendOf: row.first_seq === null ? null : String(row.first_seq),
  }
}
