import { masked } from '../../core/text/secret-hint.ts'
import type { Writing } from './write.ts'

export interface AuditEntry {
  readonly at: number
  /** `cli`, `provision`, `open-id`, `gateway`, or a user. */
  readonly actor: string
  /** For example `key.created`. */
  readonly action: string
  /** The id of the changed object. */
  readonly subject: string
  readonly before?: unknown
  readonly after?: unknown
}

/** Actor of the changes that the gateway makes by itself. */
export const gatewayActor = 'gateway'

const secretNames = new Set(['value', 'secret', 'password', 'passwordHash', 'credential'])

/** Records who changed what, in the transaction of the change, so that no change lacks its row. */
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

/** Writes amounts as decimal text, and masks secrets whatever the caller passes. */
function auditText(value: unknown): string | null {
  if (value === undefined) return null
  return JSON.stringify(value, (name, member: unknown) => {
    if (secretNames.has(name) && member !== undefined) return masked
    return typeof member === 'bigint' ? member.toString() : member
  })
}
