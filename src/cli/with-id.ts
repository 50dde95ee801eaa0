import { idKind } from '../fields/kinds.ts'
import type { CommandCall } from './command.ts'
import type { GatewayClient } from './gateway/gateway-client.ts'
import { withGateway } from './gateway/with-gateway.ts'
import { readTyped } from './read-typed.ts'

/** Runs a command on the resource whose id is the first argument. */
export async function withId<Value>(
  call: CommandCall,
  work: (gateway: GatewayClient, id: string) => Promise<Value>,
): Promise<Value> {
  const [typed = ''] = call.positionals
  const id = readTyped('The id', idKind, typed)
  return withGateway(call, (gateway) => work(gateway, id))
}
