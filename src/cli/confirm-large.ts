import { formatDollars, type Nano } from '../core/money.ts'
import type { CommandCall } from './command.ts'
import { confirm } from './confirm.ts'

/**
 * 10,000 US$. A grant of this size or more needs a confirmation: most likely a zero or a decimal point is misplaced.
 */
const largeGrantNano = 10_000_000_000_000n

export async function confirmLarge(call: CommandCall, amountNano: Nano): Promise<void> {
  const [accountId = ''] = call.positionals
  if (amountNano < largeGrantNano) return
  await confirm(call, `This adds ${formatDollars(amountNano)} US$ to ${accountId}`)
}
