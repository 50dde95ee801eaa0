import { CommandProblem } from '../app/command-problem.ts'
import { incompleteCsvLine, incompleteJsonLine } from '../core/text/export-format.ts'
import { instantKind } from '../fields/kinds.ts'
import type { CommandCall } from './command.ts'
import { readOption } from './read-typed.ts'

/** The period of an export. */
export const timeOptions = {
  from: { kind: 'text', placeholder: 'TIME', description: 'Start, such as 2027-01-01.' },
  to: { kind: 'text', placeholder: 'TIME', description: 'End, exclusive.' },
} as const

export function readTimes(call: CommandCall) {
  return { from: momentOf(call, 'from'), to: momentOf(call, 'to') }
}

function momentOf(call: CommandCall, option: string): string | undefined {
  const ms = readOption(call, option, instantKind)
  return ms === undefined ? undefined : String(Math.max(0, ms))
}

/** Writes an exported file to standard output; returns the exit code. */
export function writeExport({ context }: CommandCall, text: string): number {
  context.stdout(text)
  if (!text.endsWith(incompleteJsonLine) && !text.endsWith(incompleteCsvLine)) return 0
  throw new CommandProblem('The export is incomplete; export a shorter time with --from and --to.')
}
