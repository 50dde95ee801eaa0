import { alignColumns } from '../config/align-columns.ts'
import type { LedgerCheckAnswer, SystemStop } from '../console-api/contract.ts'
import { describeLeftovers } from './describe-leftovers.ts'

export function auditAsText(result: LedgerCheckAnswer): string {
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
  lines.push(result.isInOrder ? 'Every charge is accounted for.' : 'The ledger does not balance.')
  return lines.join('\n')
}

export function describeStop(stop: SystemStop): string {
  const { accountId, foundAt, isReleased } = stop
  const what = `${textsOf(stop).join('; ')} (found ${new Date(foundAt).toISOString()})`
  return isReleased
    ? `The account ${accountId} was released despite this difference: ${what}`
    : `The account ${accountId} gets no leases: ${what}; "tollgate audit --release ${accountId}" releases it`
}

function textsOf({ findings }: SystemStop): string[] {
  return findings.map(({ text }) => text)
}

export function auditAsJson(result: LedgerCheckAnswer): string {
  const stops = result.stops.map((stop) => ({
    account: stop.accountId,
    found: new Date(stop.foundAt).toISOString(),
    findings: textsOf(stop),
    released: stop.isReleased,
  }))
  const { isInOrder: inOrder, checks, refusedRecords, damagedLines } = result
  return JSON.stringify({ inOrder, checks, refusedRecords, damagedLines, stops }, null, 2)
}
