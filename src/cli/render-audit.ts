import { alignColumns } from '../config/align-columns.ts'
import type { AuditCheck } from '../ledger/audit-ledger.ts'
import type { AuditStop } from '../ledger/audit-stops.ts'
import { findingLine } from '../ledger/finding-line.ts'
import type { Leftovers } from '../ledger/leftovers.ts'
import { describeLeftovers } from './describe-leftovers.ts'

/** Leftovers are those of this machine's journal folder. */
export interface AuditResult extends Leftovers {
  readonly checks: readonly AuditCheck[]
  readonly stops: readonly AuditStop[]
}

/** Stopped accounts do not count: what stopped them is among the findings, or is over. */
export function isInOrder({ checks, refusedRecords, damagedLines }: AuditResult): boolean {
  return refusedRecords + damagedLines === 0 && checks.every(({ wrong }) => wrong === 0)
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
  lines.push(...describeLeftovers(result))
  for (const stop of result.stops) lines.push(describeStop(stop))
  lines.push(isInOrder(result) ? 'Every nano is explained.' : 'The books are not in order.')
  return lines.join('\n')
}

function describeStop({ accountId, foundAtMs, findings, isReleased }: AuditStop): string {
  const what = `${findings.map(findingLine).join('; ')} (found ${new Date(foundAtMs).toISOString()})`
  return isReleased
    ? `The account ${accountId} was released in spite of this: ${what}`
    : `The account ${accountId} gets no leases: ${what}; "tollgate audit --release ${accountId}" lets it go on`
}

export function auditAsJson(result: AuditResult): string {
  const stops = result.stops.map(({ accountId, foundAtMs, findings, isReleased }) => ({
    account: accountId,
    found: new Date(foundAtMs).toISOString(),
    findings: findings.map(findingLine),
    released: isReleased,
  }))
  const { checks, refusedRecords, damagedLines } = result
  const inOrder = isInOrder(result)
  return JSON.stringify({ inOrder, checks, refusedRecords, damagedLines, stops }, null, 2)
}
