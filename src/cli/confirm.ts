import { CommandProblem } from '../app/command-problem.ts'
import type { CommandCall } from './command.ts'
import { UsageProblem } from './usage-problem.ts'

/** The switch of every command that asks before an action that is hard to undo. */
export const yes = {
  kind: 'switch',
  description: 'Do not ask for confirmation. For scripts.',
} as const

/**
 * Continues if the person at the terminal confirms, or if --yes was given. `what` is a sentence without its end, such
 * as `This deducts $5.00 from acme`.
 */
export async function confirm({ context, isOn }: CommandCall, what: string): Promise<void> {
  if (isOn('yes')) return
  if (!context.ask) {
    throw new UsageProblem(
      `${what}; there is no terminal to confirm it, so repeat the command with --yes.`,
    )
  }
  const answer = await context.ask(`${what}. Continue? [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandProblem('Nothing was changed.')
}
