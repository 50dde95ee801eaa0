import { formatDollars, parseDollars } from '../core/money.ts'
import type { BookFinding } from './audit-check.ts'

/** What is wrong with some books, in the line that the database keeps, the log has and the command line prints. */
export function findingLine({ kind, id, differenceNano }: Omit<BookFinding, 'accountId'>): string {
  const amount = `${formatDollars(differenceNano)} US$`
  switch (kind) {
    case 'credit':
      return `account ${id}: credits differ by ${amount} from what is available, leased and spent`
    case 'quota':
      return `key ${id}: its quota differs by ${amount} from what is available, leased and spent`
    case 'entries':
      return `key ${id}: what it has spent differs by ${amount} from its entries`
  }
}

const shapes = [
  ['credit', /^account (.+): credits differ by (\S+) US\$ from /],
  ['quota', /^key (.+): its quota differs by (\S+) US\$ from /],
  ['entries', /^key (.+): what it has spent differs by (\S+) US\$ from /],
] as const

/** What such a line says; undefined for one of another version. */
export function readFindingLine(line: string): Omit<BookFinding, 'accountId'> | undefined {
  for (const [kind, shape] of shapes) {
    const [, id, amount = ''] = shape.exec(line) ?? []
    const differenceNano = parseDollars(amount)
    if (id !== undefined && differenceNano !== undefined) return { kind, id, differenceNano }
  }
  return undefined
}
