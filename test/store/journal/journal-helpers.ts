import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hold, HoldVerdict } from '../../../src/ledger/ledger.ts'

/** The text of all journals in a folder. */
export function journalText(folder: string): string {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

export function holdIn(verdict: HoldVerdict): Hold {
  if (!verdict.ok) throw new Error(verdict.refusal.reason)
  return verdict.hold
}
