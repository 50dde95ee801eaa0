import { type AuditEntry, recordAudit } from '../../store/changes/audit.ts'
import type { Writing } from '../../store/changes/write.ts'
import { canonicalJson } from '../../wire/canonical-json.ts'
import type { SignedInCall } from '../routes/route.ts'
import { writeFollowed } from './write-followed.ts'

export interface ChangeContext extends Writing {
  readonly nowMs: number
  /** Writes the audit log row in the transaction of the change. */
  record(change: Omit<AuditEntry, 'at' | 'actor'>): Promise<void>
}

type ChangeCall = Pick<SignedInCall, 'deps' | 'session' | 'guard'> &
  Partial<Pick<SignedInCall, 'scope' | 'recheck'>>

/**
 * All changes of the console go through this function, so that each one has a row in the audit log. The transaction
 * checks the caller's rights again: they may have ended since the request arrived.
 */
export function change<Result>(
  { deps, session, guard, recheck, scope = { accountIds: [] } }: ChangeCall,
  work: (tools: ChangeContext) => Promise<Result>,
): Promise<Result> {
  const nowMs = deps.clock.nowMs()
  return writeFollowed(deps, nowMs, async (writing) => {
    await recheck?.(writing.tx)
    await guard?.before(writing.tx, scope)
    const result = await work({
      ...writing,
      nowMs,
      record: async (entry) => {
        if (isNothing(entry)) return
        await recordAudit(writing, { at: nowMs, actor: session.userId, ...entry })
      },
    })
    await guard?.after(writing.tx, scope)
    return result
  })
}

/** An edit without effect is not a change. */
function isNothing({ before, after }: Omit<AuditEntry, 'at' | 'actor'>): boolean {
  return (
    before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after)
  )
}
