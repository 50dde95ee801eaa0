import type { CommandCall } from '../command.ts'
import { withDatabase } from '../with-database.ts'
import type { GatewayClient } from './gateway-client.ts'
import { localGateway } from './local-gateway.ts'
import { remoteGateway } from './remote-gateway.ts'

/** The gateway that the command line names: one elsewhere, or the database of this machine, open until work is done. */
export function withGateway<Value>(
  call: CommandCall,
  work: (gateway: GatewayClient) => Promise<Value>,
): Promise<Value> {
  if (call.remote) return work(remoteGateway(call.remote, call.world))
  return withDatabase(call, (database) => work(localGateway(call, database)))
}
