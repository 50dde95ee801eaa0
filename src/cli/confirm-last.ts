import type { CommandCall } from './command.ts'
import { confirm } from './confirm.ts'
import { GatewayRefusal } from './gateway/gateway-client.ts'

interface Forced {
  readonly force?: 'true'
}

/**
 * Changes a user. If the gateway refuses the change, because no administrator who can sign in or no owner of an account
 * would be left, asks first.
 */
export async function confirmLast<Answer>(
  call: CommandCall,
  change: (query: Forced) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await change({})
  } catch (error) {
    const question = error instanceof GatewayRefusal ? questionOf(error) : undefined
    if (question === undefined) throw error
    await confirm(call, question)
    return change({ force: 'true' })
  }
}

function questionOf({ detail, values }: GatewayRefusal): string | undefined {
  if (detail === 'last_admin') return 'After this, no administrator can sign in'
  if (detail === 'last_owner')
    return `After this, the account "${values['account']}" has no owner who can sign in`
  return undefined
}
