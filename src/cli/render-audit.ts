import { alignColumns } from '../config/align-columns.ts'
import type { AuditCheck } from '../ledger/audit-ledger.ts'
import type { AuditStop } from '../ledger/audit-stops.ts'

export interface AuditResult {
  readonly checks: readonly AuditCheck[]
  readonly stops: readonly AuditStop[]
  /** Records in this machine's journal folder that the database would not take. */
  readonly refusedRecords: number
}

/** Stopped accounts do not count: what stopped them is among the findings, or is over. */
export function isInOrder({ checks, refusedRecords }: AuditResult): boolean {
  return refusedRecords === 0 && checks.every(({ wrong }) => wrong === 0)
}

export function auditAsText(result: AuditResult): string {
  const rows = result.checks.map(({ rule, name, examined, wrong }) => [
    wrong === 0 ? 'ok  ' : 'fail',
    rule,
    name,
    wrong === 0 ? examined : `${wrong} wrong in ${examined}`,
  ])
  const lines = alignColumns(rows)
  for (const { rule, wrong, findings } of result.checks) {
    lines.push(...findings.map((finding) => `${rule}  ${finding}`))
    if (wrong > findings.length) lines.push(`${rule}  and ${wrong - findings.length} more`)
  }
  if (result.refusedRecords > 0) {
    lines.push(
      `The database has refused ${result.refusedRecords} records for good; they are in refused.log of the journal folder.`,
    )
  }
  for (const stop of result.stops) lines.push(describeStop(stop))
  lines.push(isInOrder(result) ? 'Every nano is explained.' : 'The books are not in order.')
  return lines.join('\n')
}

function describeStop({ accountId, foundAtMs, findings, isReleased }: AuditStop): string {
  const what = `${findings.join('; ')} (found ${new Date(foundAtMs).toISOString()})`
  return isReleased
    ? `The account ${accountId} was released in spite of this: ${what}`
    : `The account ${accountId} gets no leases: ${what}; "tollgate audit --release ${accountId}" lets it go on`
}

export function auditAsJson(result: AuditResult): string {
  const stops = result.stops.map(({ accountId, foundAtMs, findings, isReleased }) => ({
    account: accountId,
    found: new Date(foundAtMs).toISOString(),
    findings,
    released: isReleased,
  }))
  const { checks, refusedRecords } = result
  return JSON.stringify({ inOrder: isInOrder(result), checks, refusedRecords, stops }, null, 2)
}
