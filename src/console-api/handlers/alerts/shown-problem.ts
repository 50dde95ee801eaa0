import { deliveryText, readDeliveryText } from '../../../core/delivery-problem.ts'
import type { Channel } from '../../../core/message-state.ts'

/** Problems that are about the operator's mail server, not about the recipient or the message. */
const mailServerProblems = new Set(['login_rejected', 'not_sent', 'late'])

/**
 * Account owners do not learn the address, the user and the settings of the operator's mail server. A text that is not
 * recognised may contain them.
 */
export function shownProblem(
  problem: string | null,
  channel: Channel,
  { isAdmin }: { readonly isAdmin: boolean },
): string | null {
  if (problem === null || isAdmin || channel !== 'email') return problem
  const kind = readDeliveryText(problem)?.problem
  const isAboutServer = kind === undefined || mailServerProblems.has(kind)
  return isAboutServer ? deliveryText('mail_trouble') : problem
}
