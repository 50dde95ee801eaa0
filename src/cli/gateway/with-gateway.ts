import type { CommandCall } from '../command.ts'
import { withDatabase } from '../with-database.ts'
import type { GatewayClient } from './gateway-client.ts'

/**
 * The gateway that the command line names: one elsewhere, or the database of this machine, open until work is done.
 * Either way has the operations of the console, whose code is read only now: `serve` does without.
 */
export async function withGateway<Value>(
  call: CommandCall,
  work: (gateway: GatewayClient) => Promise<Value>,
): Promise<Value> {
  if (call.remote) {
    const { remoteGateway } = await import('./remote-gateway.ts')
    return work(remoteGateway(call.remote, call.world))
  }
  const { localGateway } = await import('./local-gateway.ts')
  return withDatabase(call, (database) => work(localGateway(call, database)))
}
