import { masked } from '../core/secret-hint.ts'
import type { Writing } from './write.ts'

export interface AuditEntry {
  readonly at: number
  /** Who did it: `cli`, `provision`, or a user. */
  readonly actor: string
  /** What was done, such as `key.created`. */
  readonly action: string
  /** The id of what it was done to. */
  readonly subject: string
  readonly before?: unknown
  readonly after?: unknown
}

const secretNames = new Set(['value', 'secret', 'password', 'passwordHash', 'credential'])

/** Writes who changed what, in the transaction that changes it: there is no change without its row. */
export function recordAudit({ audits }: Writing, entry: AuditEntry): Promise<void> {
  audits.push({
    at: entry.at,
    actor: entry.actor,
    action: entry.action,
    subject: entry.subject,
    before: auditText(entry.before),
    after: auditText(entry.after),
  })
  return Promise.resolve()
}

/** Amounts become decimal text, and secrets are gone whatever the caller hands over. */
function auditText(value: unknown): string | null {
  if (value === undefined) return null
  return JSON.stringify(value, (name, member: unknown) => {
    if (secretNames.has(name) && member !== undefined) return masked
    return typeof member === 'bigint' ? member.toString() : member
  })
}
