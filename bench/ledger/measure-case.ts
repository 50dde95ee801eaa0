import { fileURLToPath } from 'node:url'
import { startTalkingChild } from '../children.ts'
import type { LedgerCase, LedgerFigures, WaitFigures } from './ledger-case.ts'

type FiguresOf<Case extends LedgerCase> = Case extends { kind: 'wait' }
  ? WaitFigures
  : LedgerFigures

/** Runs each case in a new process, which has no garbage and no compiled code of another case. */
export async function measureCase<Case extends LedgerCase>(given: Case): Promise<FiguresOf<Case>> {
  const file = fileURLToPath(new URL('./run-case.ts', import.meta.url))
  const child = startTalkingChild([process.execPath, file, JSON.stringify(given)])
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`the ledger could not be measured: ${output}`)
  return JSON.parse(output) as FiguresOf<Case>
}
