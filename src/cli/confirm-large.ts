import { dollarText, type Nano, nanoPerDollar } from '../core/money/money.ts'
import type { CommandCall } from './command.ts'
import { confirm } from './confirm.ts'

/** A large grant needs a confirmation: most likely a zero or a decimal point is misplaced. */
export async function confirmLarge(call: CommandCall, amountNano: Nano): Promise<void> {
  const [accountId = ''] = call.positionals
  if (amountNano < BigInt(call.config.confirmGrantsFrom) * nanoPerDollar) return
  await confirm(call, `This adds ${dollarText(amountNano)} to ${accountId}`)
}
