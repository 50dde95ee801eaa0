import { type AuditEntry, recordAudit } from '../store/audit.ts'
import { type Writing, write } from '../store/write.ts'
import type { SignedInCall } from './route.ts'

export interface ChangeTools extends Writing {
  readonly nowMs: number
  /** Writes into the audit log who did it; in the transaction that does it. */
  record(change: Omit<AuditEntry, 'at' | 'actor'>): Promise<void>
}

/** Every change of the console is made in here, so that there is none without its row in the audit log. */
export function change<Result>(
  { parts, session }: Pick<SignedInCall, 'parts' | 'session'>,
  work: (tools: ChangeTools) => Promise<Result>,
): Promise<Result> {
  const nowMs = parts.clock.nowMs()
  return write(parts.engine, nowMs, (writing) =>
    work({
      ...writing,
      nowMs,
      record: (entry) => recordAudit(writing, { at: nowMs, actor: session.userId, ...entry }),
    }),
  )
}
