import { gatewayActor, recordAudit } from '../store/changes/audit.ts'
import { write } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import { expiredKeptMs, invitationLifetimeMs } from './invitation-end.ts'
import { removeLogin } from './remove-login.ts'

const sweepRows = 100

/**
 * Deletes invitations that expired a while ago and that nobody opened, a bounded number at a time; returns how many. A
 * suspended one stays: the operator has blocked it.
 */
export async function sweepInvitations(
  engine: Engine,
  nowMs: number,
  rowsMax = sweepRows,
): Promise<number> {
  if ((await expired(engine.db, nowMs, 1)).length === 0) return 0
  return write(engine, nowMs, async (writing) => {
    const rows = await expired(writing.tx, nowMs, rowsMax)
    for (const { id, invited_email: email, invited_to: accountId, role } of rows) {
      await removeLogin(writing, id)
      await recordAudit(writing, {
        at: nowMs,
        actor: gatewayActor,
        action: 'member.expired',
        subject: accountId ?? id,
        before: { userId: id, email, role },
      })
    }
    return rows.length
  })
}

function expired(db: Engine['db'], nowMs: number, rowsMax: number) {
  return db
    .selectFrom('console_user as u')
    .leftJoin('membership as m', (join) =>
      join.onRef('m.user_id', '=', 'u.id').onRef('m.account_id', '=', 'u.invited_to'),
    )
    .select(['u.id', 'u.invited_email', 'u.invited_to', 'm.role'])
    .where('u.invited_to', 'is not', null)
    .where('u.seen_at', 'is', null)
    .where('u.suspended', '=', 0)
    .where(
      ({ fn }) => fn.coalesce('u.invited_at', 'u.created_at'),
      '<=',
      nowMs - invitationLifetimeMs - expiredKeptMs,
    )
    .orderBy('u.id')
    .limit(rowsMax)
    .execute()
}
