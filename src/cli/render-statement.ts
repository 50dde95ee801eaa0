import { dollarText, formatDollars, type Nano } from '../core/money/money.ts'
import type { SpendingLine, Statement, StatementCredit } from '../ledger/audit/statement.ts'
import type { Period } from '../ledger/audit/statement-balance.ts'

/** How a statement groups spending. */
export const groupings = ['day', 'key'] as const
export type StatementGrouping = (typeof groupings)[number]

interface Group {
  readonly name: string
  requests: number
  costNano: Nano
}

export function statementAsText(
  statement: Statement,
  period: Period,
  by: StatementGrouping,
): string {
  const lines: [text: string, nano: Nano][] = []
  if (period.fromMs !== undefined) lines.push(['balance before', statement.openingNano])
  for (const credit of statement.credits) lines.push([creditText(credit), credit.amountNano])
  for (const { name, requests, costNano } of groupSpending(statement.spending, by)) {
    lines.push([`${name}  ${requests} ${requests === 1 ? 'request' : 'requests'}`, -costNano])
  }
  lines.push(['balance', statement.closingNano])
  if (period.toMs !== undefined) lines.push(['since then', statement.sinceNano])
  lines.push(['of which reserved in leases', statement.leasedNano])
  lines.push(['of which available', statement.availableNano])
  const span = `from ${nameOf(period.fromMs, 'the beginning')} to ${nameOf(period.toMs, 'now')}`
  return [
    `Statement of account ${statement.accountId}, ${span}, in US$; days are UTC`,
    ...inColumns(lines),
    verdictOf(statement),
  ].join('\n')
}

function verdictOf({ differenceNano }: Statement): string {
  return differenceNano === 0n
    ? 'The lines add up exactly.'
    : `The lines do not add up: ${dollarText(differenceNano)} is not accounted for; run "tollgate audit".`
}

/** Amounts aligned at the decimal point. */
function inColumns(lines: readonly (readonly [string, Nano])[]): string[] {
  const amounts = lines.map(([, nano]) => withNineDecimals(nano))
  const textWidth = Math.max(...lines.map(([text]) => text.length))
  const amountWidth = Math.max(...amounts.map((amount) => amount.length))
  return lines.map(
    ([text], index) => `${text.padEnd(textWidth)}  ${(amounts[index] ?? '').padStart(amountWidth)}`,
  )
}

function withNineDecimals(nano: Nano): string {
  const [whole = '', decimals = ''] = formatDollars(nano).split('.')
  return `${whole}.${decimals.padEnd(9, '0')}`
}

function groupSpending(lines: readonly SpendingLine[], by: StatementGrouping): Group[] {
  const groups = new Map<string, Group>()
  for (const { day, keyId, requests, costNano } of lines) {
    const name = by === 'day' ? day : keyId
    const group = groups.get(name) ?? { name, requests: 0, costNano: 0n }
    group.requests += requests
    group.costNano += costNano
    groups.set(name, group)
  }
  return [...groups.values()]
}

function creditText({ atMs, source, externalId, reason, isReversal }: StatementCredit): string {
  return isReversal
    ? `${dayOf(atMs)}  reversal ${source} ${externalId}: of the credit "${reason}"`
    : `${dayOf(atMs)}  credit ${source} ${externalId}: ${reason}`
}

export function statementAsJson(
  statement: Statement,
  period: Period,
  by: StatementGrouping,
): string {
  const value = {
    account: statement.accountId,
    from: instantOf(period.fromMs),
    to: instantOf(period.toMs),
    opening: formatDollars(statement.openingNano),
    credits: statement.credits.map(({ atMs, amountNano, ...credit }) => ({
      at: new Date(atMs).toISOString(),
      amount: formatDollars(amountNano),
      ...credit,
    })),
    spending: groupSpending(statement.spending, by).map(({ name, requests, costNano }) => ({
      [by]: name,
      requests,
      cost: formatDollars(costNano),
    })),
    closing: formatDollars(statement.closingNano),
    since: formatDollars(statement.sinceNano),
    leased: formatDollars(statement.leasedNano),
    available: formatDollars(statement.availableNano),
    addsUp: statement.differenceNano === 0n,
    unexplained: formatDollars(statement.differenceNano),
  }
  return JSON.stringify(value, null, 2)
}

function instantOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

function nameOf(ms: number | undefined, open: string): string {
  return instantOf(ms) ?? open
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
