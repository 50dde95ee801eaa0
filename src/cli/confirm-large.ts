import type { CommandCall } from './command.ts'
import { confirm } from './confirm.ts'
import { GatewayRefusal } from './gateway/gateway-client.ts'

/**
 * Sends a change that may be a grant. The gateway decides whether the amount needs a confirmation, and is then asked
 * again. `receiver` is what gets the money.
 */
export async function confirmLarge<Answer>(
  call: CommandCall,
  receiver: string,
  send: (query: { readonly confirm: 'true' } | undefined) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send(undefined)
  } catch (error) {
    if (!(error instanceof GatewayRefusal) || error.detail !== 'credit_unconfirmed') throw error
    await confirm(call, `This adds ${error.values['amount'] ?? 'a large credit'} to ${receiver}`)
  }
  return send({ confirm: 'true' })
}
