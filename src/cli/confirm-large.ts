import { dollarText, type Nano } from '../core/money/money.ts'
import type { CommandCall } from './command.ts'
import { confirm } from './confirm.ts'
import { GatewayRefusal } from './gateway/gateway-client.ts'

/** Sends a grant. The gateway decides whether the amount needs a confirmation, and is then asked again. */
export async function confirmLarge<Answer>(
  call: CommandCall,
  amountNano: Nano,
  send: (query: { readonly confirm: 'true' } | undefined) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send(undefined)
  } catch (error) {
    if (!(error instanceof GatewayRefusal) || error.detail !== 'credit_unconfirmed') throw error
  }
  const [accountId = ''] = call.positionals
  await confirm(call, `This adds ${dollarText(amountNano)} to ${accountId}`)
  return send({ confirm: 'true' })
}
