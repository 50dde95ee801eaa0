import type { CommandCall } from '../command.ts'
import { withDatabase } from '../with-database.ts'
import type { GatewayClient } from './gateway-client.ts'

/**
 * Opens the gateway that the command line names: a remote one, or the database of this machine, open until `work` is
 * done. Both offer the console's operations. Their code is loaded only here, because `serve` does not need it.
 */
export async function withGateway<Value>(
  call: CommandCall,
  work: (gateway: GatewayClient) => Promise<Value>,
): Promise<Value> {
  if (call.remote) {
    const { remoteGateway } = await import('./remote-gateway.ts')
    return work(remoteGateway(call.remote, call.context))
  }
  const { localGateway } = await import('./local-gateway.ts')
  return withDatabase(call, (database) => work(localGateway(call, database)))
}
