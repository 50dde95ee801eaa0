import { sql } from 'kysely'
import type { Engine } from '../store/engine.ts'

interface WaitingMessages {
  /** Only messages of this alert, or all emails of the gateway. */
  readonly alertId?: string
  readonly kind: 'email' | 'webhook'
  /** Only those to this address. */
  readonly target?: string
}

/**
 * Makes messages due at once whose next attempt is hours away: their receiver has just accepted a test, or is another
 * one.
 */
export async function sendSoon(
  db: Engine['db'],
  { alertId, kind, target }: WaitingMessages,
  nowMs: number,
): Promise<void> {
  let waiting = db
    .updateTable('outbox')
    .set({ next_at: nowMs })
    .where('state', '=', 'waiting')
    .where('next_at', '>', nowMs)
    .where('channel', kind === 'email' ? '=' : '!=', 'email')
  if (alertId !== undefined) waiting = waiting.where('alert_id', '=', alertId)
  if (target !== undefined) waiting = waiting.where('target', '=', target)
  await waiting.execute()
}

/**
 * The webhook of an alert has another URL: the messages that wait go there, which the list shows. An attempt that is
 * under way goes to the former URL. It is no longer the last attempt of its message, so its failure changes nothing.
 */
export async function redirectHook(
  db: Engine['db'],
  { alertId, host }: { readonly alertId: string; readonly host: string },
  nowMs: number,
): Promise<void> {
  const waiting = db
    .updateTable('outbox')
    .where('alert_id', '=', alertId)
    .where('state', '=', 'waiting')
  await waiting.set({ target: host }).execute()
  await waiting
    .set({ attempts: sql<number>`attempts + 1`, claimed_until: 0, next_at: nowMs })
    .where('claimed_until', '>', nowMs)
    .execute()
  await sendSoon(db, { alertId, kind: 'webhook' }, nowMs)
}
