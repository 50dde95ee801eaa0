import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import { outboxLimits } from './message.ts'
import { isFull, type OutboxRow, waitingRow } from './outbox-store.ts'

export type SendAgainResult =
  | { readonly seq: number }
  | 'not_failed'
  | 'in_flight'
  | 'not_stored'
  | 'full'
  | 'often'

/** Whether the message was given up and its content is still stored. */
export function isResendable({
  state,
  alert_id: alertId,
  payload_sealed: sealed,
}: Pick<OutboxRow, 'state' | 'alert_id' | 'payload_sealed'>): boolean {
  return state === 'failed' && alertId !== null && sealed !== null
}

/** The message with an id of the list. */
export async function findMessage(db: Engine['db'], id: string): Promise<OutboxRow | undefined> {
  if (!/^\d{1,15}$/.test(id)) return undefined
  return db.selectFrom('outbox').selectAll().where('seq', '=', Number(id)).executeTakeFirst()
}

/**
 * Queues a message that was given up once more, behind the messages that wait for the same webhook. The content moves
 * to the new row, so a message that is given up is sent again at most once, however often and wherever this is called.
 * `nowMs` is by the clock of the database, like the claims.
 */
export async function sendAgain(
  { tx }: Pick<Writing, 'tx'>,
  row: OutboxRow,
  nowMs: number,
): Promise<SendAgainResult> {
  if (row.state !== 'failed') return 'not_failed'
  const { payload_sealed: sealed } = row
  if (!isResendable(row) || sealed === null) return 'not_stored'
  // The alert was disabled during an attempt, which may still succeed.
  const claimedMs = row.claimed_until - nowMs
  if (claimedMs > 0 && claimedMs <= outboxLimits.claimMs) return 'in_flight'
  if (await isFull(tx, row)) return 'full'
  const first = row.first_seq ?? row.seq
  if (await isSentOften(tx, first)) return 'often'
  const { numUpdatedRows } = await tx
    .updateTable('outbox')
    .set({ payload_sealed: null })
    .where('seq', '=', row.seq)
    .where('state', '=', 'failed')
    .where('payload_sealed', 'is not', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return 'not_failed'
  const { lane, purpose, account_id, alert_id, channel, target, title } = row
  const address = { lane, purpose, account_id, alert_id, channel, target, title }
  return tx
    .insertInto('outbox')
    .values({ ...waitingRow(address, sealed, nowMs), first_seq: first })
    .returning('seq')
    .executeTakeFirstOrThrow()
}

/** A receiver that is gone for good must not fill the list. */
async function isSentOften(db: Engine['db'], first: number): Promise<boolean> {
  const rows = await db
    .selectFrom('outbox')
    .select('seq')
    .where('first_seq', '=', first)
    .limit(outboxLimits.resendsMax)
    .execute()
  return rows.length >= outboxLimits.resendsMax
}
